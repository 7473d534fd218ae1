//! A server in a thread, a client over the transport, and a caller that writes its own HTTP.
//!
//! It refuses to outlive its test: dropping a server stops it. `server` calls it.

use crate::endpoint::{self, Sign, accepts};
use agent_surface_host::{Mount, Route, Transport, serve};
use agent_surface_interop::ed25519::{Keyring, PrivateKey};
use agent_surface_interop::memory::MemoryIdempotency;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Client, Digest, Direction, Error, Exact, Identifier, Operation, Request, client,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    runs: std::sync::mpsc::Receiver<()>,
}

impl Server {
    pub fn start(sign: Sign) -> Self {
        Server::start_with(sign, Mount::default())
    }

    pub fn start_with(sign: Sign, mount: Mount) -> Self {
        Server::start_over(sign, mount, MemoryIdempotency::default())
    }

    pub fn start_over(sign: Sign, mount: Mount, store: MemoryIdempotency) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let (begin, runs) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let endpoint =
                    endpoint::endpoint_that(sign, store, move || begin.send(()).unwrap_or_default()).unwrap();
                serve(listener, endpoint, mount, async { drop(stopped.await) })
                    .await
                    .unwrap();
            });
        });
        Server {
            address: told.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
            runs,
        }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub fn try_connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(5))?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(stream)
    }

    pub fn connect(&self) -> TcpStream {
        self.try_connect().unwrap()
    }

    pub fn wait_for_a_run(&self) {
        self.runs.recv_timeout(Duration::from_secs(20)).unwrap();
    }

    pub fn has_no_run(&self) -> bool {
        self.runs.try_recv().is_err()
    }

    /// Asks it to stop and waits until it has.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
    }
}

/// Sends an exchange by hand and leaves its answer in the stream.
pub fn post(server: &Server, body: &str) -> TcpStream {
    let mut stream = server.connect();
    let length = body.len();
    let head = format!(
        "POST /exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

/// Status and body of a request written by hand.
pub fn raw(server: &Server, head: &str, header: &str, body: &[u8]) -> (u16, String) {
    let (status, _, body) = raw_with_head(server, head, header, body);
    (status, body)
}

/// The same, with the head of the response, each of its lines with its end.
pub fn raw_with_head(server: &Server, head: &str, header: &str, body: &[u8]) -> (u16, String, String) {
    let mut stream = server.connect();
    let length = body.len();
    let text = format!(
        "{head} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(text.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, format!("{head}\r\n"), body.to_owned())
}

pub struct Caller {
    client: Client,
    transport: Transport,
    keys: serde_json::Value,
    ring: Keyring,
    pub signs_as: &'static str,
    pub is_offline: bool,
    pub sent: Option<String>,
}

impl Caller {
    pub fn new(server: &Server, client_id: &'static str) -> Self {
        let keys = endpoint::keys().unwrap();
        Caller {
            client: Client::new(client_id, Some(client_id)).unwrap(),
            transport: Transport::new(
                &server.base_url(),
                &[("accept", "application/json")],
                &Route::default(),
            )
            .unwrap(),
            ring: endpoint::keyring(&keys).unwrap(),
            keys,
            signs_as: client_id,
            is_offline: false,
            sent: None,
        }
    }

    pub fn endpoint(&mut self) -> client::Negotiated {
        let mut client = std::mem::replace(&mut self.client, Client::new("client:x", None).unwrap());
        let negotiated = client::negotiate(&mut client, self).unwrap();
        self.client = client;
        negotiated
    }

    fn key(&self) -> PrivateKey {
        endpoint::private_key(&self.keys, self.signs_as).unwrap()
    }
}

impl OutboundSequenceStore for Caller {
    fn next(&mut self, _: &Allocation) -> Result<u64, Error> {
        Ok(1)
    }

    fn current(&mut self, _: &Identifier, _: &Identifier) -> Result<u64, Error> {
        Ok(0)
    }
}

impl client::Ports for Caller {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        self.transport.manifest()
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.sent = Some(request.text().to_owned());
        if self.is_offline {
            return Err(Error::Host("offline".to_owned()));
        }
        self.transport.exchange(request)
    }

    fn resolve(&mut self, _: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, direction: Direction, _: Operation, payload: &Exact) -> bool {
        accepts(direction, payload)
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key().sign(digest))
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.ring.verify(signer_id, digest, signature)
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
