//! Connections: takes as many as it may, gives them a time for the heads of their requests, and ends them.
//!
//! It refuses to wait for ever: neither for a caller that says or takes nothing, nor at the end for a handler that does not
//! come back. Whoever runs a server calls it.

use crate::LONGEST;
use crate::endpoint::Endpoint;
use crate::mount::Mount;
use crate::places::{Place, Places};
use crate::server::Mounted;
use crate::stream::Stream;
use agent_surface_interop::router::Host;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Names of this machine that no name server has a say in.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The most bytes of a request's head, and of what is buffered of a body.
const MAX_HEAD_BYTES: usize = 65_536;

/// Before the next connection is tried when this process has no room to open one.
const BREAK: Duration = Duration::from_millis(10);

/// Serves until `shutdown` ends. Then no more connections are taken, and exchanges under way go on, those of callers that
/// hung up, too, for at most `Mount::shutdown_timeout`; of what is not done by then, connections are closed and signals
/// aborted.
pub async fn serve<H: Host + Send + 'static>(
    listener: TcpListener,
    endpoint: Endpoint<H>,
    mut mount: Mount,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    if mount.allowed_hosts.is_none() {
        mount.allowed_hosts = names_of(listener.local_addr()?);
    }
    let shutdown_timeout = mount.shutdown_timeout;
    let response_timeout = mount.response_timeout.min(LONGEST);
    let places = Places::new(mount.max_connections);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(mount.header_timeout.min(LONGEST))
        .max_buf_size(MAX_HEAD_BYTES);
    let mounted = Mounted::new(endpoint, mount);
    let service = TowerToHyperService::new(Arc::clone(&mounted).router());
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            () = shutdown.as_mut() => break,
            Some(_ended) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((tcp, _)) => {
                    // Dropped without a place, the connection is closed.
                    if let Some(place) = places.take() {
                        let stream = Stream::new(tcp, response_timeout);
                        let carried = carry(http.clone(), stream, service.clone(), place, stopped.clone());
                        connections.spawn(carried);
                    }
                }
                Err(error) if is_of_caller(&error) => {}
                Err(_full) => {
                    places.make_room();
                    tokio::time::sleep(BREAK).await;
                }
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

type Mounting = TowerToHyperService<axum::Router>;

/// Carries one connection to its end: its caller's, the server's, or that of its place.
async fn carry(
    http: http1::Builder,
    stream: Stream,
    service: Mounting,
    place: Place,
    mut stopped: watch::Receiver<()>,
) {
    let answering = service_fn(|request| answer(&service, &place, request));
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), answering));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = place.until_given_away() => Ok(()),
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // What ends a connection early is its caller: nobody is left to be told.
    drop(ended);
}

/// A connection keeps its place while a request of its is answered.
async fn answer(
    service: &Mounting,
    place: &Place,
    request: Request<Incoming>,
) -> Result<Response<Body>, Error> {
    if !place.work() {
        return Err(ErrorKind::ConnectionAborted.into());
    }
    let response = service.call(request).await;
    place.wait();
    response.map_err(|never| match never {})
}

/// Whether a connection was not taken because its caller had gone.
fn is_of_caller(error: &Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

fn names_of(address: SocketAddr) -> Option<Vec<String>> {
    let is_loopback = address.ip().to_canonical().is_loopback();
    let own = address.to_string();
    let names = LOOPBACK.into_iter().map(str::to_owned).chain([own]);
    is_loopback.then(|| names.collect())
}
