//! What HTTP means to a client: where an endpoint's two resources are, how much of a reply is read, and what is a reply.
//!
//! It refuses to open a connection, and any URL but `http` and `https`. Transports call it, in the page and natively.

use crate::error::{Error, Rule};
use agent_surface_json::exact::Exact;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes of a reply unless a transport says otherwise.
pub const DEFAULT_REPLY_BYTES: u64 = 67_108_864;
const MAX_REPLY_BYTES: u64 = 1_073_741_824;
/// What the body of an exchange is; it wins over a configured header of this name.
pub const CONTENT_TYPE: (&str, &str) = ("content-type", "application/json");

/// Where an endpoint is, and how much of what it says is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    base: String,
    max_reply_bytes: u64,
}

impl Location {
    /// The resources are relative to `base_url` as WHATWG URLs are: without a `/` at its end, the last segment of its path
    /// is replaced.
    pub fn new(base_url: &str, max_reply_bytes: Option<u64>) -> Result<Self, Error> {
        Location::at(folder(base_url)?, max_reply_bytes)
    }

    fn at(base: String, max_reply_bytes: Option<u64>) -> Result<Self, Error> {
        let max_reply_bytes = max_reply_bytes.unwrap_or(DEFAULT_REPLY_BYTES);
        if !(1..=MAX_REPLY_BYTES).contains(&max_reply_bytes) {
            return Err(Rule::HttpLimit.into());
        }
        Ok(Location {
            base,
            max_reply_bytes,
        })
    }

    /// The same, of a folder that a WHATWG URL parser has resolved already: what it gives for `./` at the base URL, or
    /// nothing where it gives none.
    pub fn resolved(folder: &str, max_reply_bytes: Option<u64>) -> Result<Self, Error> {
        if !["http://", "https://"]
            .iter()
            .any(|scheme| folder.starts_with(scheme))
        {
            let is_none = folder.is_empty();
            return Err(if is_none {
                Rule::HttpUrl
            } else {
                Rule::HttpProtocol
            }
            .into());
        }
        Location::at(folder.to_owned(), max_reply_bytes)
    }

    /// `GET` this with the configured headers.
    pub fn manifest(&self) -> String {
        [&self.base, "manifest"].concat()
    }

    /// `POST` an envelope's text to this with the configured headers and `CONTENT_TYPE`.
    pub fn exchange(&self) -> String {
        [&self.base, "exchange"].concat()
    }

    /// A reply with this status and, if it is declared, this length.
    pub fn reply(&self, status: u16, declared_bytes: Option<u64>) -> Result<Reply, Error> {
        if !(200..300).contains(&status) {
            return Err(Error::HttpStatus(status));
        }
        let limit = self.max_reply_bytes;
        if declared_bytes.is_some_and(|bytes| bytes > limit) {
            return Err(Rule::HttpTooLarge.into());
        }
        Ok(Reply {
            bytes: Vec::new(),
            limit,
        })
    }
}

/// A reply's body as it comes in.
#[derive(Debug)]
pub struct Reply {
    bytes: Vec<u8>,
    limit: u64,
}

impl Reply {
    /// Another piece of the body, decoded; past the limit nothing more is read.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        if self.bytes.len() as u64 + piece.len() as u64 > self.limit {
            return Err(Rule::HttpTooLarge.into());
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// The value.
    pub fn finish(self) -> Result<Exact, Error> {
        Ok(Exact::parse(self.text(), usize::MAX)?)
    }

    /// Its text, unread. Bytes that are no UTF-8 become U+FFFD, and a byte order mark is dropped.
    pub fn text(self) -> String {
        let text = match String::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }
    }
}

/// Reads the body of a request that a server got: size, then depth, then content, all within `max_bytes`.
pub fn read_request(body: Vec<u8>, max_bytes: usize) -> Result<Exact, Error> {
    if body.len() > max_bytes {
        return Err(Rule::HttpRequestTooLarge.into());
    }
    let text = String::from_utf8(body).map_err(|_utf8| Rule::HttpEncoding)?;
    Ok(Exact::parse(text, max_bytes)?)
}

/// Everything up to the last `/` of the path of an absolute URL, in the form that WHATWG gives it.
fn folder(url: &str) -> Result<String, Error> {
    let url = url.trim_matches(|character: char| character <= ' ');
    let (scheme, rest) = url.split_once(':').ok_or(Rule::HttpUrl)?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    if !is_scheme(&scheme) {
        return Err(Rule::HttpUrl.into());
    }
    let default_port = match scheme.as_str() {
        "http" => "80",
        "https" => "443",
        _ => return Err(Rule::HttpProtocol.into()),
    };
    let is_slash = |character: char| character == '/' || character == '\\';
    let rest = rest.trim_start_matches(is_slash);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest
        .split_at_checked(rest.find(is_slash).unwrap_or(rest.len()))
        .unwrap_or((rest, ""));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => ([user, "@"].concat(), host),
        None => (String::new(), authority),
    };
    let host = host_and_port(host, default_port)?;
    Ok([&scheme, "://", &user, &host, &directories(path)].concat())
}

fn host_and_port(host: &str, default_port: &str) -> Result<String, Error> {
    // A colon inside brackets is of an IPv6 address.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host, ""),
    };
    let is_port =
        port.is_empty() || (port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok());
    if name.is_empty()
        || !is_port
        || name.contains(|character: char| character <= ' ' || "<>^|%@".contains(character))
    {
        return Err(Rule::HttpUrl.into());
    }
    let port = port.trim_start_matches('0');
    let name = name.to_ascii_lowercase();
    Ok(if port.is_empty() || port == default_port {
        name
    } else {
        [&name, ":", port].concat()
    })
}

/// The path without its last segment, `.` and `..` resolved.
fn directories(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments: Vec<&str> = path.split(['/', '\\']).skip(1).collect();
    let last = segments.pop().unwrap_or_default();
    // A dot segment at the end is a directory.
    if last == "." || last == ".." {
        segments.push(last);
    }
    for segment in segments {
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    let mut out = String::from("/");
    for segment in kept {
        out.push_str(segment);
        out.push('/');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn bases_are_normalized_as_whatwg_does() {
        for (base, manifest) in [
            (
                "HTTP://H.Example:80/A/../b/./c?q#f",
                "http://h.example/b/manifest",
            ),
            (" https://h.example:443", "https://h.example/manifest"),
            ("https://h.example:0443/x/..", "https://h.example/manifest"),
            ("http:\\\\h.example\\a\\b", "http://h.example/a/manifest"),
            ("http://[::1]:8080/a//b", "http://[::1]:8080/a//manifest"),
            ("http://h.example?x=/y/", "http://h.example/manifest"),
        ] {
            assert_eq!(Location::new(base, None).unwrap().manifest(), manifest, "{base}");
        }
        for (folder, manifest) in [
            ("https://h.example/a/", Ok("https://h.example/a/manifest")),
            ("ftp://h.example/", Err("interop HTTP protocol is invalid")),
            ("", Err("Invalid URL")),
        ] {
            let found = Location::resolved(folder, None).map(|location| location.manifest());
            let found = found.map_err(|error| error.message().into_owned());
            assert_eq!(found.as_deref().map_err(String::as_str), manifest, "{folder}");
        }
        for base in [
            "",
            "/a",
            "http:",
            "http://",
            "http://h:99999/",
            "http://h h/",
            "1http://h/",
        ] {
            let message = Location::new(base, None).unwrap_err().message().into_owned();
            assert_eq!(message, "Invalid URL", "{base}");
        }
    }
}
