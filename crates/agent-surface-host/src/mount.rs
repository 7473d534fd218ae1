//! Where an endpoint is mounted, who may call it, and how much it takes at once.
//!
//! It refuses nothing itself: the server asks it. Whoever runs a server fills it in.

use agent_surface_interop::Manifest;
use axum::extract::Request;
use axum::http::header::HOST;
use std::time::Duration;

/// Where, for whom and how much.
#[derive(Clone, Debug)]
pub struct Mount {
    /// The path before `manifest` and `exchange`; begins and ends with `/`.
    pub base_path: String,
    /// The most bytes of a request body as it comes over the wire: four times the manifest's `maximumRequestBytes`, which
    /// counts canonical text, unless it is said here.
    pub max_body_bytes: Option<usize>,
    /// The most exchanges at once, from before their bodies are read until their handlers are done, whether or not their
    /// callers still wait. For one more, the body that has been coming in longest gives way; if none is still coming in, the
    /// newcomer does. Who gives way gets the status 503.
    pub max_exchanges: u16,
    /// The most connections at once. For one more, the one that has been without a request to answer longest is closed; if
    /// all have one, the newcomer is. Below what the system lets a process open; above `max_exchanges`.
    pub max_connections: u16,
    /// How long a connection may take to send the head of a request, and stay open without one.
    pub header_timeout: Duration,
    /// How long a request body may take to come in.
    pub body_timeout: Duration,
    /// How long a caller may take nothing of a response that is being sent.
    pub response_timeout: Duration,
    /// How long exchanges under way may go on after `serve` was asked to end; then their connections are closed.
    pub shutdown_timeout: Duration,
    /// The names that callers may know the server by, like `agent.example` or, for one port only, `agent.example:8080`;
    /// requests to others get the status 421, so that no page reaches the server by a name of its own that it points here
    /// (DNS rebinding). Unless they are said, `serve` takes `localhost`, `127.0.0.1`, `[::1]` and its own address if that is
    /// a loopback address, and any name if it is not.
    pub allowed_hosts: Option<Vec<String>>,
    /// Origins of pages that may call, like `https://app.example`; no page may unless it is named, and what others send
    /// gets the status 403.
    pub allowed_origins: Vec<String>,
}

impl Default for Mount {
    fn default() -> Self {
        Mount {
            base_path: "/".to_owned(),
            max_body_bytes: None,
            max_exchanges: 256,
            max_connections: 512,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            response_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(30),
            allowed_hosts: None,
            allowed_origins: Vec::new(),
        }
    }
}

impl Mount {
    pub(crate) fn body_limit(&self, manifest: &Manifest) -> usize {
        let on_wire = || usize::try_from(manifest.max_request_wire_bytes()).unwrap_or(usize::MAX);
        self.max_body_bytes.unwrap_or_else(on_wire)
    }

    /// Whether the request says at least one name of the server, and none that is not its.
    pub(crate) fn is_host_allowed(&self, request: &Request) -> bool {
        let Some(allowed) = &self.allowed_hosts else {
            return true;
        };
        let is_allowed = |host: &str| {
            let is = |name: &str| allowed.iter().any(|known| known.eq_ignore_ascii_case(name));
            is(host) || without_port(host).is_some_and(is)
        };
        let target = request
            .uri()
            .authority()
            .map(|authority| Some(authority.as_str()));
        let headers = request.headers().get_all(HOST).into_iter();
        let mut names = target
            .into_iter()
            .chain(headers.map(|host| host.to_str().ok()))
            .peekable();
        names.peek().is_some() && names.all(|name| name.is_some_and(is_allowed))
    }
}

fn without_port(host: &str) -> Option<&str> {
    let (name, port) = host.rsplit_once(':')?;
    port.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}
