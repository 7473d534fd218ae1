//! The HTTP server: `GET <base>manifest` and `POST <base>exchange`, and a status for everything else.
//!
//! It refuses hosts and pages that are not named, then a body by its type, then more exchanges at once than it may run,
//! then a body by its size before it is read on, then by its depth and content. A caller that goes
//! away aborts its exchange's signal; the exchange itself goes on, so that a retry finds what became of it. `serve` puts it
//! on a socket.

use crate::endpoint::Endpoint;
use crate::mount::Mount;
use crate::places::Places;
use crate::reply;
use agent_surface_interop::router::Host;
use agent_surface_interop::{Error, Exact, Rule, Signal, http};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt;
use std::sync::Arc;

/// An endpoint where it is mounted.
pub(crate) struct Mounted<H> {
    endpoint: Arc<Endpoint<H>>,
    mount: Mount,
    max_body_bytes: usize,
    /// One for each exchange, which waits there for its body and then works until it is over.
    exchanges: Arc<Places>,
}

/// The endpoint as an axum service, for servers that have more than this. These know where they listen: the time for a
/// head and the time to shut down are theirs, and hosts are checked only if `allowed_hosts` says which.
pub fn app<H: Host + Send + 'static>(endpoint: Endpoint<H>, mount: Mount) -> axum::Router {
    Mounted::new(endpoint, mount).router()
}

async fn route<H: Host + Send + 'static>(
    State(mounted): State<Arc<Mounted<H>>>,
    request: Request,
) -> Response<Body> {
    let asked = request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let origin = request.headers().get(ORIGIN).cloned().filter(|origin| {
        let is_it = |allowed: &String| allowed.as_bytes() == origin.as_bytes();
        mounted.mount.allowed_origins.iter().any(is_it)
    });
    let mut response = mounted.answer(request, origin.is_some()).await;
    // Whatever the origin: a cache must not give one's answer to another.
    response
        .headers_mut()
        .insert(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        reply::allow(&mut response, origin, asked);
    }
    response
}

impl<H: Host + Send + 'static> Mounted<H> {
    pub(crate) fn new(endpoint: Endpoint<H>, mount: Mount) -> Arc<Self> {
        Arc::new(Mounted {
            max_body_bytes: mount.body_limit(endpoint.manifest()),
            exchanges: Places::new(mount.max_exchanges),
            endpoint: Arc::new(endpoint),
            mount,
        })
    }

    pub(crate) fn router(self: Arc<Self>) -> axum::Router {
        axum::Router::new().fallback(route::<H>).with_state(self)
    }

    /// Waits until no exchange runs any more, also none whose caller is gone.
    pub(crate) async fn until_idle(&self) {
        self.exchanges.until_empty().await;
    }

    async fn answer(&self, request: Request, is_allowed_page: bool) -> Response<Body> {
        if !self.mount.is_host_allowed(&request) {
            return reply::refused(
                StatusCode::MISDIRECTED_REQUEST,
                "MISDIRECTED_REQUEST",
                "expected a host that this server is known by",
            );
        }
        // A page that cannot read the answer could still have had its effect.
        if !is_allowed_page && request.headers().contains_key(ORIGIN) {
            return reply::refused(
                StatusCode::FORBIDDEN,
                "ORIGIN_NOT_ALLOWED",
                "expected a page of an origin that may call",
            );
        }
        let (method, path) = (request.method(), request.uri().path());
        match path.strip_prefix(self.mount.base_path.as_str()) {
            // The question that a browser asks before it lets a page call.
            Some("manifest" | "exchange") if is_allowed_page && *method == Method::OPTIONS => {
                reply::nothing()
            }
            Some("manifest") if *method == Method::GET => {
                reply::ok(self.endpoint.manifest().text().to_owned())
            }
            Some("exchange") if *method == Method::POST => match self.exchange(request).await {
                Ok(text) => reply::ok(text),
                Err(refusal) => refusal,
            },
            Some("manifest") => reply::wrong_method("GET"),
            Some("exchange") => reply::wrong_method("POST"),
            _ => reply::refused(
                StatusCode::NOT_FOUND,
                "NOT_FOUND",
                "expected the path of the manifest or of the exchange",
            ),
        }
    }

    async fn exchange(&self, request: Request) -> Result<String, Response<Body>> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(reply::refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "UNSUPPORTED_MEDIA_TYPE",
                "expected `application/json`, not encoded",
            ));
        }
        // Before the body is read, so that it bounds what bodies take up, too.
        let place = self.exchanges.take().ok_or_else(too_many)?;
        let reading = tokio::time::timeout(self.mount.body_timeout, self.read(&parts.headers, body));
        let envelope = tokio::select! {
            envelope = reading => envelope.unwrap_or_else(|_elapsed| Err(Rule::HttpRequestSlow.into())),
            () = place.until_given_away() => return Err(too_many()),
        };
        let envelope = envelope.map_err(|error| reply::failed(&error))?;
        if !place.work() {
            return Err(too_many());
        }
        let signal = Signal::default();
        let gone = AbortOnDrop(signal.clone());
        let exchange = Arc::clone(&self.endpoint).exchange(parts.headers, envelope, signal);
        // A task of its own outlives a caller that hangs up, and counts until it is over.
        let result = tokio::spawn(async move {
            let result = exchange.await;
            drop(place);
            result
        })
        .await;
        drop(gone);
        match result {
            Ok(Ok(response)) => Ok(response.text().to_owned()),
            Ok(Err(error)) => {
                // The caller is not told: whoever runs the server is.
                if let Error::Host(_) = error {
                    eprintln!("an exchange failed: {error}");
                }
                Err(reply::failed(&error))
            }
            Err(panic) => Err(reply::failed(&Error::Host(panic.to_string()))),
        }
    }

    async fn read(&self, headers: &HeaderMap, mut body: Body) -> Result<Exact, Error> {
        let limit = self.max_body_bytes;
        let declared = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok())
            .and_then(|length| length.parse::<usize>().ok());
        if declared.is_some_and(|length| length > limit) {
            return Err(Rule::HttpRequestTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(declared.unwrap_or(0).min(65_536));
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_broken| Rule::HttpRequestCut)?;
            if let Some(piece) = frame.data_ref() {
                if bytes.len() + piece.len() > limit {
                    return Err(Rule::HttpRequestTooLarge.into());
                }
                bytes.extend_from_slice(piece);
            }
        }
        http::read_request(bytes, limit)
    }
}

fn too_many() -> Response<Body> {
    reply::refused(
        StatusCode::SERVICE_UNAVAILABLE,
        "TOO_MANY_EXCHANGES",
        "expected fewer exchanges at once",
    )
}

fn is_json(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let essence = text(CONTENT_TYPE).and_then(|value| value.split(';').next());
    let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
    let is_plain = text(CONTENT_ENCODING).is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"));
    is_plain && (essence == "application/json" || essence.ends_with("+json"))
}

/// Says that the caller is gone, unless nobody listens any more.
struct AbortOnDrop(Signal);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
