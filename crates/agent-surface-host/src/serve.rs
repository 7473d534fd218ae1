//! Connections: takes them, gives them a time for the heads of their requests, and ends them.
//!
//! It refuses to wait for ever: neither for a caller that says nothing, nor at the end for a handler that does not come
//! back. Whoever runs a server calls it.

use crate::LONGEST;
use crate::endpoint::Endpoint;
use crate::mount::Mount;
use crate::server::Mounted;
use agent_surface_interop::router::Host;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Names of this machine that no name server has a say in.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Serves until `shutdown` ends. Then no more connections are taken, and exchanges under way go on, those of callers that
/// hung up, too, for at most `Mount::shutdown_timeout`; of what is not done by then, connections are closed and signals
/// aborted.
pub async fn serve<H: Host + Send + 'static>(
    mut listener: TcpListener,
    endpoint: Endpoint<H>,
    mut mount: Mount,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    if mount.allowed_hosts.is_none() {
        mount.allowed_hosts = names_of(TcpListener::local_addr(&listener)?);
    }
    let shutdown_timeout = mount.shutdown_timeout;
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(mount.header_timeout.min(LONGEST));
    let mounted = Mounted::new(endpoint, mount);
    let service = TowerToHyperService::new(Arc::clone(&mounted).router());
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = shutdown.as_mut() => break,
            Some(_ended) = connections.join_next() => {}
            (stream, _) = Listener::accept(&mut listener) => {
                let connection = http.serve_connection(TokioIo::new(stream), service.clone());
                connections.spawn(carry(connection, stopped.clone()));
            }
        }
    }
    drop((listener, stop));
    let ending = async {
        while connections.join_next().await.is_some() {}
        mounted.until_idle().await;
    };
    if tokio::time::timeout(shutdown_timeout, ending).await.is_err() {
        eprintln!("exchanges were still under way when the server ended");
    }
    Ok(())
}

type Connection = http1::Connection<TokioIo<TcpStream>, TowerToHyperService<axum::Router>>;

async fn carry(connection: Connection, mut stopped: watch::Receiver<()>) {
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // What ends a connection early is its caller: nobody is left to be told.
    drop(ended);
}

fn names_of(address: SocketAddr) -> Option<Vec<String>> {
    let is_loopback = address.ip().to_canonical().is_loopback();
    let own = address.to_string();
    let names = LOOPBACK.into_iter().map(str::to_owned).chain([own]);
    is_loopback.then(|| names.collect())
}
