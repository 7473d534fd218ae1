//! An environment for agents, served by the host: a grid world with a key and a locked exit, reset, observed, acted in,
//! kept and gone back to. `cargo run -p agent-surface-host --example grid -- --origin http://localhost:8080` prints
//! `{"baseUrl": …, "endpointId": …, "endpointKey": …}` and serves pages of that origin until its input ends.
//!
//! It refuses unsigned requests, and keeps nothing: its key is made when it starts, its walks and answers are in memory.
//! The demo starts it.

#[path = "grid/endpoint.rs"]
mod endpoint;
#[path = "grid/walk.rs"]
mod walk;
#[path = "grid/world.rs"]
mod world;

use agent_surface_host::{Mount, serve};
use agent_surface_interop::ed25519::PrivateKey;
use agent_surface_interop::encode_base64url;
use std::error::Error;
use std::io::{Read, Write};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

const MAX_WALKS: usize = 64;

struct Options {
    port: u16,
    origins: Vec<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        port: 0,
        origins: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("expected a value behind `{name}`"))?;
        match name.as_str() {
            "--port" => options.port = value.parse()?,
            "--origin" => options.origins.push(value),
            _ => return Err(format!("expected `--port` or `--origin`, not `{name}`").into()),
        }
    }
    Ok(options)
}

/// A key that nobody else has and that ends with this process.
fn key() -> Result<PrivateKey, Box<dyn Error>> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut_slice())?;
    Ok(PrivateKey::from_seed(&seed))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let key = key()?;
    let endpoint_key = encode_base64url(&key.public_key().to_bytes());
    let endpoint = endpoint::endpoint(key, MAX_WALKS)?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await?;
    let address = listener.local_addr()?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{{\"baseUrl\":\"http://{address}/\",\"endpointId\":\"{}\",\"endpointKey\":\"{endpoint_key}\"}}",
        endpoint::ENDPOINT_ID
    )?;
    out.flush()?;
    let mount = Mount {
        allowed_origins: options.origins,
        ..Mount::default()
    };
    serve(listener, endpoint, mount, stopped()).await?;
    Ok(())
}

/// An interrupt, or the end of the input: whoever started this is gone.
async fn stopped() {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut piece = [0; 64];
        while stdin.read(&mut piece).is_ok_and(|length| length > 0) {}
        // Nobody listens any more once an interrupt came first.
        tell.send(()).unwrap_or_default();
    });
    tokio::select! {
        _ = told => {}
        interrupt = tokio::signal::ctrl_c() => {
            if let Err(error) = interrupt {
                eprintln!("cannot wait for an interrupt: {error}");
            }
        }
    }
}
