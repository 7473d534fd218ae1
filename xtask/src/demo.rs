//! `cargo xtask demo`: sets up, builds, serves the device console and prints its address; `--check` drives it.
//!
//! The server listens on the loopback address only and is made for one person's browser. It holds no model key and
//! forwards nothing: the page talks to a model endpoint itself.

mod api;
mod files;
mod http;
mod seed;
mod store;

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::{Context, Result, bail};

use crate::{
    browser, build,
    process::{run as execute, say},
    setup, tools,
    workspace::Workspace,
};
use files::Files;
use http::{Request, Response};
use store::Store;

/// Drives the demo's story; takes the server's address.
pub const CHECK_SCRIPT: &str = "tests/e2e/demo-check.mjs";

/// The usual port, and how many after it are tried.
const PORT: u16 = 8080;
const PORTS_TRIED: u16 = 50;

/// Connections served at once; more are closed unanswered.
const CONNECTIONS: usize = 64;

/// What the command line asked for.
#[derive(Default)]
struct Options {
    check: bool,
    fresh: bool,
    port: Option<u16>,
}

/// Serves, or checks.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    setup::run(
        workspace,
        if options.check {
            setup::Purpose::Browser
        } else {
            setup::Purpose::Page
        },
    )?;
    build::without_others(workspace)?;
    if options.check {
        check(workspace)
    } else {
        serve(workspace, &options)
    }
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--check" => options.check = true,
            "--fresh" => options.fresh = true,
            "--port" => {
                let value = rest.next().context("`--port` expects a number")?;
                let port = value.parse().with_context(|| format!("`{value}` is no port"))?;
                options.port = Some(port);
            }
            other => bail!("unexpected argument `{other}`"),
        }
    }
    Ok(options)
}

fn serve(workspace: &Workspace, options: &Options) -> Result<()> {
    let store = Store::open(Some(workspace.path("target/demo/devices.json")), options.fresh)?;
    let listener = match options.port {
        Some(port) => bind(port)?,
        None => bind_near(PORT)?,
    };
    say!(
        "\nThe device console is at http://{}/\nCtrl-C stops it.",
        listener.local_addr()?
    );
    answer(
        &listener,
        &Arc::new(Site::new(workspace, store, listener.local_addr()?)),
    );
    Ok(())
}

fn check(workspace: &Workspace) -> Result<()> {
    let script = workspace.path(CHECK_SCRIPT);
    if !script.exists() {
        bail!("{} is missing", script.display());
    }
    // Kept in memory, so that a check neither finds nor leaves changes.
    let store = Store::open(None, true)?;
    let listener = bind(0)?;
    let address = listener.local_addr()?;
    let site = Arc::new(Site::new(workspace, store, address));
    thread::spawn(move || answer(&listener, &site));
    let mut node = tools::node(workspace)?;
    node.env("CHROME", browser::require_chrome()?);
    // Chromium's native WebMCP wants a secure context; `localhost` counts as one.
    execute(
        node.arg(script)
            .arg(format!("http://localhost:{}", address.port())),
    )
}

fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("cannot listen on 127.0.0.1:{port}"))
}

fn bind_near(port: u16) -> Result<TcpListener> {
    (port..port.saturating_add(PORTS_TRIED))
        .find_map(|candidate| bind(candidate).ok())
        .with_context(|| {
            format!(
                "no port of {port} to {} is free",
                port.saturating_add(PORTS_TRIED - 1)
            )
        })
}

/// What the server answers from.
struct Site {
    files: Files,
    store: Store,
    address: SocketAddr,
}

impl Site {
    fn new(workspace: &Workspace, store: Store, address: SocketAddr) -> Self {
        let folders: Vec<(&str, PathBuf)> =
            vec![("/pkg/", workspace.package()), ("/", workspace.path("www"))];
        Self {
            files: Files::new(folders),
            store,
            address,
        }
    }

    fn respond(&self, request: &Request) -> Response {
        if let Err(refusal) = request.check_origin(self.address.port()) {
            return refusal;
        }
        if request.path.starts_with("/api/") {
            api::respond(&self.store, request)
        } else {
            self.files.respond(request)
        }
    }
}

/// Accepts for ever, one thread per connection.
fn answer(listener: &TcpListener, site: &Arc<Site>) {
    let open = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (site, open) = (Arc::clone(site), Arc::clone(&open));
        thread::spawn(move || {
            converse(&connection, &site);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// One request, one answer. A connection that breaks off is the browser's business.
fn converse(connection: &TcpStream, site: &Site) {
    let (response, head_only) = match http::read(connection) {
        Ok(Some(request)) => (site.respond(&request), request.method == "HEAD"),
        Ok(None) => return,
        Err(refusal) => (refusal, false),
    };
    // A client that went away needs no answer.
    drop(response.write(connection, head_only));
}
