//! The client's side of HTTP, synchronous: bounded reads, no redirects, no retries.
//!
//! It refuses `https`: it has no TLS; to wait for ever; and a proxy that only the environment names. The command and
//! tests call it; a page has `fetch`.

use crate::LONGEST;
use agent_surface_interop::http::{CONTENT_TYPE, Location};
use agent_surface_interop::{Error, Exact, Request};
use std::io::Read;
use std::time::Duration;

/// A host that does not even take a connection is not waited for as long as an answer is.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long, and which way.
#[derive(Clone, Debug)]
pub struct Route {
    /// How long a request may take until the last byte of its answer: 5 minutes unless it is said, as an agent's step may
    /// take some.
    pub timeout: Duration,
    /// The proxy's URL; there is none unless it is said here.
    pub proxy: Option<String>,
}

impl Default for Route {
    fn default() -> Self {
        Route {
            timeout: Duration::from_mins(5),
            proxy: None,
        }
    }
}

/// A transport to one endpoint.
#[derive(Debug)]
pub struct Transport {
    location: Location,
    headers: Vec<(String, String)>,
    agent: ureq::Agent,
}

type Answer = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

impl Transport {
    /// `headers` go with every request; the content type of an exchange is its own.
    pub fn new(base_url: &str, headers: &[(&str, &str)], route: &Route) -> Result<Self, Error> {
        let timeout = route.timeout.min(LONGEST);
        let location = Location::new(base_url, None)?;
        let proxy = route.proxy.as_deref().map(ureq::Proxy::new).transpose();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        // Statuses are the location's to judge.
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(timeout))
            .timeout_connect(Some(CONNECT_TIMEOUT.min(timeout)))
            .proxy(proxy.map_err(|error| failed(&error))?);
        Ok(Transport {
            location,
            headers: headers.iter().map(owned).collect(),
            agent: config.build().new_agent(),
        })
    }

    /// The endpoint's manifest.
    pub fn manifest(&self) -> Result<Exact, Error> {
        let mut request = self.agent.get(self.location.manifest());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        self.receive(request.call())
    }

    /// The endpoint's answer.
    pub fn exchange(&self, request: &Request) -> Result<Exact, Error> {
        self.post(request.text())
    }

    /// The endpoint's answer to any text.
    pub fn post(&self, text: &str) -> Result<Exact, Error> {
        let (content_type, json) = CONTENT_TYPE;
        let mut request = self.agent.post(self.location.exchange());
        for (name, value) in &self.headers {
            if !name.eq_ignore_ascii_case(content_type) {
                request = request.header(name, value);
            }
        }
        self.receive(request.header(content_type, json).send(text))
    }

    fn receive(&self, answer: Answer) -> Result<Exact, Error> {
        let mut response = answer.map_err(|error| failed(&error))?;
        let declared = response.body().content_length();
        let mut reply = self.location.reply(response.status().as_u16(), declared)?;
        let mut reader = response.body_mut().as_reader();
        let mut piece = vec![0; 65_536];
        loop {
            let length = reader.read(&mut piece).map_err(|error| failed(&error))?;
            if length == 0 {
                return reply.finish();
            }
            reply.push(piece.get(..length).unwrap_or_default())?;
        }
    }
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::Host(error.to_string())
}
