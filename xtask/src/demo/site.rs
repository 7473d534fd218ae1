//! A server of the demo: its files, its API where it has one, and who may show its pages in a frame.
//!
//! It answers this machine only, one thread per connection. Called by the demo for each of its ports.

use std::{
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use serde_json::{Value, json};

use super::{
    api,
    files::Files,
    http::{self, Request, Response},
    store::Store,
};

/// Connections served at once; more are closed unanswered.
const CONNECTIONS: usize = 64;

/// The ports of the demo, each an origin of its own.
#[derive(Clone, Copy)]
pub struct Ports {
    /// The pages.
    pub pages: u16,
    /// The agent that another company could run.
    pub agent: u16,
}

/// What a server answers from.
pub struct Site {
    files: Files,
    store: Option<Store>,
    environment: Option<Value>,
    port: u16,
    ports: Ports,
    framed_by: String,
}

impl Site {
    /// The pages, with the API of the device console, and where the environment of the grid page is. No page may show them
    /// in a frame.
    pub fn pages(files: Files, store: Store, ports: Ports, environment: Value) -> Self {
        Self {
            files,
            store: Some(store),
            environment: Some(environment),
            port: ports.pages,
            ports,
            framed_by: "'none'".to_owned(),
        }
    }

    /// The agent's own site, which the pages show in a frame.
    pub fn agent(files: Files, ports: Ports) -> Self {
        let framed_by = ["localhost", "127.0.0.1"].map(|host| format!("http://{host}:{}", ports.pages));
        Self {
            files,
            store: None,
            environment: None,
            port: ports.agent,
            ports,
            framed_by: framed_by.join(" "),
        }
    }

    fn respond(&self, request: &Request) -> Response {
        if let Err(refusal) = request.check_origin(self.port) {
            return refusal;
        }
        match &self.store {
            Some(store) if request.path.starts_with("/api/") => api::respond(store, request),
            _ => match self.told(&request.path) {
                Some(_) if request.method != "GET" => Response::method_not_allowed("GET"),
                Some(value) => Response::json(200, &value),
                None => self.files.respond(request),
            },
        }
    }

    /// What pages learn here: where the others are, and where the environment is, with the key that it signs with.
    fn told(&self, path: &str) -> Option<Value> {
        match path {
            "/ports.json" => Some(json!({ "pages": self.ports.pages, "agent": self.ports.agent })),
            "/grid/endpoint.json" => self.environment.clone(),
            _ => None,
        }
    }

    /// One request, one answer. A connection that breaks off is the browser's business.
    fn converse(&self, connection: &TcpStream) {
        let (response, head_only) = match http::read(connection) {
            Ok(Some(request)) => (self.respond(&request), request.method == "HEAD"),
            Ok(None) => return,
            Err(refusal) => (refusal, false),
        };
        // A client that went away needs no answer.
        drop(response.write(connection, head_only, &self.framed_by));
    }
}

/// Accepts for ever, one thread per connection.
pub fn answer(listener: &TcpListener, site: Site) {
    let (site, open) = (Arc::new(site), Arc::new(()));
    for connection in listener.incoming().flatten() {
        if Arc::strong_count(&open) > CONNECTIONS {
            continue;
        }
        let (site, place) = (Arc::clone(&site), Arc::clone(&open));
        thread::spawn(move || {
            site.converse(&connection);
            // Given back by a thread that panics, too.
            drop(place);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const PORTS: Ports = Ports {
        pages: 8080,
        agent: 8081,
    };

    fn status(site: &Site, target: &str, port: u16) -> u16 {
        let mut request = Request::of("GET", target, "", "");
        request.set_header("host", &format!("localhost:{port}"));
        site.respond(&request).status
    }

    #[test]
    fn the_agent_s_site_has_no_api() {
        let files = || Files::new(vec![("/", PathBuf::from(env!("CARGO_MANIFEST_DIR")))]);
        let pages = Site::pages(files(), Store::open(None, true).unwrap(), PORTS, json!({}));
        let agent = Site::agent(files(), PORTS);
        assert_eq!(status(&pages, "/api/devices", 8080), 200);
        assert_eq!(status(&agent, "/api/devices", 8081), 404);
        assert_eq!(status(&agent, "/ports.json", 8081), 200);
        assert_eq!(status(&agent, "/ports.json", 8080), 403);
        assert_eq!(status(&pages, "/grid/endpoint.json", 8080), 200);
        assert_eq!(status(&agent, "/grid/endpoint.json", 8081), 404);
        assert_eq!(pages.framed_by, "'none'");
        assert_eq!(agent.framed_by, "http://localhost:8080 http://127.0.0.1:8080");
    }
}
