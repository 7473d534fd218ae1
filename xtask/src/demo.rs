//! `cargo xtask demo`: sets up, builds, serves the pages of `www/` and prints their address; `--check` drives them.
//!
//! Its servers listen on the loopback address only and are made for one person's browser. They hold no model key and
//! forward nothing: a page talks to a model endpoint itself. Each port is an origin of its own.

mod api;
mod environment;
mod files;
mod http;
mod seed;
mod site;
mod store;

use std::{
    net::{Ipv4Addr, TcpListener},
    thread,
};

use anyhow::{Context, Result, bail};

use crate::{
    browser, build, docs,
    process::{run as execute, say},
    setup, tools,
    workspace::Workspace,
};
use environment::Environment;
use files::Files;
use site::{Ports, Site, answer};
use store::Store;

/// Drives the stories of the demo's pages; takes the server's address, and which stories.
pub const CHECK_SCRIPT: &str = "tests/e2e/demo-check.mjs";

/// The usual port, and how many after it are tried.
const PORT: u16 = 8080;
const PORTS_TRIED: u16 = 50;

/// What the command line asked for.
#[derive(Default)]
struct Options {
    check: bool,
    /// The stories to check; none stands for all.
    stories: Vec<String>,
    fresh: bool,
    port: Option<u16>,
}

/// Serves, or checks.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    // Before anything takes time: a port that is not free is said at once.
    let listeners = if options.check {
        None
    } else {
        Some(listen(&options)?)
    };
    setup::run(
        workspace,
        if options.check {
            setup::Purpose::Browser
        } else {
            setup::Purpose::Page
        },
    )?;
    build::for_pages(workspace)?;
    environment::build(workspace)?;
    docs::make(workspace)?;
    match listeners {
        Some((pages, agent)) => serve(workspace, &options, pages, agent),
        None => check(workspace, &options.stories),
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
            story if options.check && !story.starts_with('-') => options.stories.push(story.to_owned()),
            other => bail!("unexpected argument `{other}`"),
        }
    }
    Ok(options)
}

/// The pages' own listener, and that of the agent's site.
fn listen(options: &Options) -> Result<(TcpListener, TcpListener)> {
    let pages = match options.port {
        Some(port) => bind(port)?,
        None => bind_near(PORT)?,
    };
    let agent = bind_near(pages.local_addr()?.port().saturating_add(1))?;
    Ok((pages, agent))
}

fn serve(workspace: &Workspace, options: &Options, pages: TcpListener, agent: TcpListener) -> Result<()> {
    let store = Store::open(Some(workspace.path("target/demo/devices.json")), options.fresh)?;
    let environment = Environment::start(workspace, pages.local_addr()?.port())?;
    say!(
        "\nThe demo is at http://{}/ (an agent's own site at http://{}/, an environment at {}).\nCtrl-C stops it.",
        pages.local_addr()?,
        agent.local_addr()?,
        environment.address()
    );
    start(workspace, store, &environment, pages, agent)?
        .join()
        .ok()
        .context("the server broke off")
}

fn check(workspace: &Workspace, stories: &[String]) -> Result<()> {
    let script = workspace.path(CHECK_SCRIPT);
    if !script.exists() {
        bail!("{} is missing", script.display());
    }
    // Kept in memory, so that a check neither finds nor leaves changes.
    let store = Store::open(None, true)?;
    let pages = bind(0)?;
    let port = pages.local_addr()?.port();
    let environment = Environment::start(workspace, port)?;
    start(workspace, store, &environment, pages, bind(0)?)?;
    let mut node = tools::node(workspace)?;
    node.env("CHROME", browser::require_chrome()?);
    // Chromium's native WebMCP wants a secure context; `localhost` counts as one.
    execute(
        node.arg(script)
            .arg(format!("http://localhost:{port}"))
            .args(stories),
    )
}

/// Serves from both listeners, each in a thread; answers with that of the pages.
fn start(
    workspace: &Workspace,
    store: Store,
    environment: &Environment,
    pages: TcpListener,
    agent: TcpListener,
) -> Result<thread::JoinHandle<()>> {
    let ports = Ports {
        pages: pages.local_addr()?.port(),
        agent: agent.local_addr()?.port(),
    };
    let package = workspace.package();
    let own = Files::new(vec![
        ("/pkg/", package.clone()),
        ("/docs/", docs::folder(workspace)),
        ("/", workspace.path("www")),
    ]);
    let theirs = Files::new(vec![
        ("/pkg/", package),
        ("/styles/", workspace.path("www/styles")),
        ("/shared/", workspace.path("www/shared")),
        ("/", workspace.path("www/agent")),
    ]);
    let theirs = Site::agent(theirs, ports);
    thread::spawn(move || answer(&agent, theirs));
    let own = Site::pages(own, store, ports, environment.endpoint.clone());
    Ok(thread::spawn(move || answer(&pages, own)))
}

fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("cannot listen on 127.0.0.1:{port}: choose another with `--port`"))
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
