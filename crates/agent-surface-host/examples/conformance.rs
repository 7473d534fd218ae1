//! The endpoint of the conformance profile `interop-driver/1`, for any client to run against:
//! `cargo run -p agent-surface-host --example conformance -- --sign both --port 0` prints `{"baseUrl": …}` and serves
//! until it is interrupted.
//!
//! It refuses to be safe: its keys are public, and its time is what callers say. Conformance runs and tests start it.

#[path = "conformance/endpoint.rs"]
mod endpoint;

use agent_surface_host::{Mount, serve};
use agent_surface_interop::memory::MemoryIdempotency;
use endpoint::Sign;
use std::error::Error;
use std::io::Write;

struct Options {
    sign: Sign,
    port: u16,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        sign: Sign::None,
        port: 0,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("expected a value behind `{name}`"))?;
        match name.as_str() {
            "--sign" => {
                let sign = Sign::parse(&value).ok_or("expected `none`, `request`, `response` or `both`")?;
                options.sign = sign;
            }
            "--port" => options.port = value.parse()?,
            _ => return Err(format!("expected `--sign` or `--port`, not `{name}`").into()),
        }
    }
    Ok(options)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let endpoint = endpoint::endpoint_that(options.sign, MemoryIdempotency::default(), || {})?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", options.port)).await?;
    let address = listener.local_addr()?;
    let mut out = std::io::stdout();
    writeln!(out, "{{\"baseUrl\":\"http://{address}/\"}}")?;
    out.flush()?;
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            eprintln!("cannot wait for an interrupt: {error}");
            std::future::pending::<()>().await;
        }
    };
    serve(listener, endpoint, Mount::default(), interrupted).await?;
    Ok(())
}
