//! HTTP/1.1 as far as a page on the same machine needs it: one request per connection, bounded before it is read.
//!
//! No chunked bodies, no keep-alive, no TLS. It refuses hosts other than this machine (DNS rebinding) and requests
//! that pages of other origins make. Called by the demo server.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use serde_json::json;

/// The most bytes of a request line with its headers.
const HEAD_BYTES: u64 = 16 * 1024;
/// The most bytes of a body.
const BODY_BYTES: usize = 64 * 1024;
/// A client that sends or reads nothing for so long is let go.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request, its target split and decoded.
pub struct Request {
    /// In capitals.
    pub method: String,
    /// Decoded, without the query.
    pub path: String,
    /// Names and values, decoded, in their order.
    pub query: Vec<(String, String)>,
    /// The query as it came, with its `?`; empty without one.
    pub search: String,
    headers: Vec<(String, String)>,
    /// At most 64 KiB.
    pub body: Vec<u8>,
}

/// An answer.
pub struct Response {
    /// The status code.
    pub status: u16,
    /// With its character set.
    pub content_type: &'static str,
    /// More headers.
    pub headers: Vec<(&'static str, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Request {
    /// A header's value by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// A query parameter, unless it is empty.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|v| !v.is_empty())
    }

    /// A request as the tests make them.
    #[cfg(test)]
    pub fn of(method: &str, target: &str, content_type: &str, body: &str) -> Self {
        let head =
            format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n\r\n");
        Self {
            body: body.into(),
            ..parse(head.as_bytes()).unwrap()
        }
    }

    /// Sets a header, as the tests do.
    #[cfg(test)]
    pub fn set_header(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// Refuses what another site's page could have caused: a host name that is not this machine, or a foreign origin.
    pub fn check_origin(&self, port: u16) -> Result<(), Response> {
        let ours = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let is_ours = |host: &str| ours.iter().any(|own| own == host);
        let Some(host) = self.header("host") else {
            return Err(Response::error(
                400,
                "BAD_REQUEST",
                "a Host header is required",
                None,
            ));
        };
        if !is_ours(host) {
            let message = "this server answers only to its own address on this machine";
            return Err(Response::error(403, "FOREIGN_HOST", message, None));
        }
        let foreign_origin = self
            .header("origin")
            .is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_ours));
        if foreign_origin && self.method != "GET" && self.method != "HEAD" {
            return Err(Response::error(
                403,
                "FOREIGN_ORIGIN",
                "only this server's own pages may do that",
                None,
            ));
        }
        Ok(())
    }
}

impl Response {
    /// A JSON answer.
    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        let body = value.to_string().into_bytes();
        Self {
            status,
            content_type: "application/json; charset=utf-8",
            headers: Vec::new(),
            body,
        }
    }

    /// `{"error":{"code","message","field"?}}`.
    pub fn error(status: u16, code: &str, message: &str, field: Option<&str>) -> Self {
        let mut error = json!({ "code": code, "message": message });
        if let (Some(field), Some(object)) = (field, error.as_object_mut()) {
            object.insert("field".to_owned(), field.into());
        }
        Self::json(status, &json!({ "error": error }))
    }

    /// Sends the client to another path of this server.
    pub fn redirect(location: String) -> Self {
        let mut response = Self::json(307, &json!({ "location": location }));
        response.headers.push(("Location", location));
        response
    }

    /// Names what a path can do.
    pub fn method_not_allowed(allowed: &'static str) -> Self {
        let message = format!("this path knows {allowed} only");
        let mut response = Self::error(405, "METHOD_NOT_ALLOWED", &message, None);
        response.headers.push(("Allow", allowed.to_owned()));
        response
    }

    /// Sends the answer and closes. `framed_by`: the origins whose pages may show it in a frame.
    pub fn write(&self, mut connection: &TcpStream, head_only: bool, framed_by: &str) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors {framed_by}\r\n",
            self.status,
            reason(self.status),
            self.content_type,
            self.body.len()
        );
        for (name, value) in &self.headers {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        connection.write_all(head.as_bytes())?;
        if !head_only {
            connection.write_all(&self.body)?;
        }
        connection.shutdown(Shutdown::Write)?;
        drain(connection)
    }
}

/// Reads what a refused client still sends, up to a bound: closing on it would destroy the answer on its way.
fn drain(connection: &TcpStream) -> io::Result<()> {
    io::copy(&mut connection.take(1024 * 1024), &mut io::sink()).map(drop)
}

/// Reads a request; `None` when the client said nothing.
pub fn read(connection: &TcpStream) -> Result<Option<Request>, Response> {
    // Only a dead connection refuses a time limit, and reading it fails next.
    drop(connection.set_read_timeout(Some(PATIENCE)));
    drop(connection.set_write_timeout(Some(PATIENCE)));
    let mut reader = BufReader::new(connection);
    let mut head = Vec::new();
    let mut limited = (&mut reader).take(HEAD_BYTES);
    loop {
        let before = head.len();
        // Browsers open connections ahead of need and leave them silent: an end or a time-out there is no error.
        match limited.read_until(b'\n', &mut head) {
            Ok(0) | Err(_) if head.is_empty() => return Ok(None),
            Ok(0) if limited.limit() == 0 => {
                return Err(Response::error(
                    431,
                    "HEADERS_TOO_LARGE",
                    "the headers are too large",
                    None,
                ));
            }
            Ok(0) | Err(_) => return Err(bad("the request broke off")),
            Ok(_) if matches!(head.get(before..), Some(b"\r\n" | b"\n")) => break,
            Ok(_) => {}
        }
    }
    let mut request = parse(&head).ok_or_else(|| bad("this is no HTTP/1.1 request"))?;
    request.body = body(&request, &mut reader)?;
    Ok(Some(request))
}

fn body(request: &Request, reader: &mut impl Read) -> Result<Vec<u8>, Response> {
    if request.header("transfer-encoding").is_some() {
        return Err(Response::error(
            411,
            "LENGTH_REQUIRED",
            "a body needs a Content-Length",
            None,
        ));
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(text) => text
            .parse::<u64>()
            .ok()
            .ok_or_else(|| bad("Content-Length is no number"))?,
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > BODY_BYTES {
        return Err(Response::error(
            413,
            "TOO_LARGE",
            "a body may have 65,536 bytes at most",
            None,
        ));
    }
    let mut body = vec![0; length];
    reader
        .read_exact(&mut body)
        .ok()
        .ok_or_else(|| bad("the body broke off"))?;
    Ok(body)
}

fn bad(message: &str) -> Response {
    Response::error(400, "BAD_REQUEST", message, None)
}

fn parse(head: &[u8]) -> Option<Request> {
    let text = std::str::from_utf8(head).ok()?;
    let mut lines = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() || !target.starts_with('/') {
        return None;
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect::<Option<Vec<_>>>()?;
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((
            decode(&name.replace('+', " "))?,
            decode(&value.replace('+', " "))?,
        ))
    });
    Some(Request {
        method: method.to_owned(),
        path: decode(path)?,
        query: query.collect::<Option<Vec<_>>>()?,
        search: target
            .find('?')
            .and_then(|at| target.get(at..))
            .unwrap_or_default()
            .to_owned(),
        headers,
        body: Vec::new(),
    })
}

/// Percent decoding; `None` where it is malformed or gives no UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let (high, low) = (
                char::from(rest.next()?).to_digit(16)?,
                char::from(rest.next()?).to_digit(16)?,
            );
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_split_and_decoded() {
        let request = parse(b"GET /api/devices?city=Krak%C3%B3w&q=a+b& HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!(request.path, "/api/devices");
        assert_eq!(request.parameter("city"), Some("Kraków"));
        assert_eq!(request.parameter("q"), Some("a b"));
        assert_eq!(request.header("host"), Some("x"));
    }

    #[test]
    fn a_malformed_request_is_none() {
        for head in [
            "",
            "GET /",
            "GET x HTTP/1.1",
            "GET /%zz HTTP/1.1",
            "GET / HTTP/1.1\r\nno colon\r\n",
            "GET /%ff HTTP/1.1",
        ] {
            assert!(parse(head.as_bytes()).is_none(), "{head}");
        }
    }

    #[test]
    fn a_foreign_host_or_origin_is_refused() {
        let status = |method: &str, headers: &str| {
            let request = parse(format!("{method} /api/reset HTTP/1.1\r\n{headers}\r\n").as_bytes()).unwrap();
            request
                .check_origin(8080)
                .map_or_else(|refusal| refusal.status, |()| 200)
        };
        assert_eq!(status("POST", "Host: 127.0.0.1:8080\r\n"), 200);
        assert_eq!(
            status(
                "POST",
                "Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n"
            ),
            200
        );
        assert_eq!(status("GET", "Host: devices.example:8080\r\n"), 403);
        assert_eq!(status("GET", "Host: localhost:8081\r\n"), 403);
        assert_eq!(status("GET", ""), 400);
        assert_eq!(
            status("POST", "Host: localhost:8080\r\nOrigin: http://example.org\r\n"),
            403
        );
        assert_eq!(status("POST", "Host: localhost:8080\r\nOrigin: null\r\n"), 403);
    }
}
