//! The grid world's server in a thread, and an agent whose id is its key.
//!
//! It refuses to outlive its test: dropping a server stops it. `grid` calls it.

use crate::endpoint::{self, ENDPOINT_ID, ISSUER_PREFIX};
use agent_surface_host::{Mount, Route, Transport, serve};
use agent_surface_interop::client::{self, Negotiated, Ports};
use agent_surface_interop::ed25519::{PrivateKey, PublicKey};
use agent_surface_interop::environment::{self, Action};
use agent_surface_interop::memory::MemoryOutbound;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Client, Digest, Direction, Error, Exact, Identifier, LogicalTime, Manifest, Operation, Request, Response,
    encode_base64url,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use tokio::sync::oneshot;

const SERVER_SEED: [u8; 32] = [9; 32];

pub struct Server {
    address: SocketAddr,
    /// Dropped with the server, which ends then.
    stop: Option<oneshot::Sender<()>>,
}

impl Server {
    pub fn start(max_walks: usize) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let key = PrivateKey::from_seed(&SERVER_SEED);
                let endpoint = endpoint::endpoint(key, max_walks).unwrap();
                let mount = Mount {
                    allowed_origins: vec!["http://localhost:8080".to_owned()],
                    ..Mount::default()
                };
                serve(listener, endpoint, mount, async { drop(stopped.await) })
                    .await
                    .unwrap();
            });
        });
        Server {
            address: told.recv().unwrap(),
            stop: Some(stop),
        }
    }

    /// The status that a page of this origin gets for the manifest.
    pub fn status_for(&self, origin: &str) -> u16 {
        let mut stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(5)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!(
            "GET /manifest HTTP/1.1\r\nhost: {}\r\nconnection: close\r\norigin: {origin}\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let is_named = answer.contains(&format!("access-control-allow-origin: {origin}\r\n"));
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(is_named, status == 200, "{answer}");
        status
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
    }
}

pub fn exact(text: &str) -> Exact {
    Exact::parse(text, usize::MAX).unwrap()
}

pub struct Player {
    endpoint: Negotiated,
    side: Side,
}

/// What answers the client's questions.
struct Side {
    transport: Transport,
    key: PrivateKey,
    outbound: MemoryOutbound,
}

impl Player {
    pub fn new(server: &Server, seed: [u8; 32]) -> Self {
        let key = PrivateKey::from_seed(&seed);
        let id = [ISSUER_PREFIX, &encode_base64url(&key.public_key().to_bytes())].concat();
        let base_url = format!("http://{}/", server.address);
        let mut side = Side {
            transport: Transport::new(&base_url, &[], &Route::default()).unwrap(),
            key,
            outbound: MemoryOutbound::default(),
        };
        let mut client = Client::new(&id, Some(&id)).unwrap();
        let endpoint = client::negotiate(&mut client, &mut side).unwrap();
        Player { endpoint, side }
    }

    pub fn signs_with(&mut self, seed: [u8; 32]) {
        self.side.key = PrivateKey::from_seed(&seed);
    }

    pub fn manifest(&self) -> &Manifest {
        self.endpoint.manifest()
    }

    pub fn call(&mut self, session_id: &str, action: &Action<'_>, time: u64) -> Result<Response, Error> {
        let step = environment::call(
            &self.endpoint,
            session_id,
            action,
            LogicalTime::new(time).unwrap(),
        )?;
        client::drive(step, &mut self.side)
    }
}

impl OutboundSequenceStore for Side {
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error> {
        self.outbound.next(allocation)
    }

    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error> {
        self.outbound.current(issuer_id, session_id)
    }
}

impl Ports for Side {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        self.transport.manifest()
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.transport.exchange(request)
    }

    fn resolve(&mut self, _: Digest) -> bool {
        true
    }

    /// Whatever the endpoint makes of it.
    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key.sign(digest))
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        let key = PrivateKey::from_seed(&SERVER_SEED).public_key();
        let key = PublicKey::from_bytes(&key.to_bytes());
        signer_id == ENDPOINT_ID && key.is_some_and(|key| key.verify(digest, signature))
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
