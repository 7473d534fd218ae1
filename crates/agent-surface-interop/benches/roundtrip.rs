//! Round trips from a client's call to its checked response, over a router in the same process that echoes the payload:
//! `cargo xtask bench interop`, or `cargo bench -p agent-surface-interop --bench roundtrip --profile host`.
//!
//! It refuses to compare what was measured at different times: every round measures every row, beside a reference
//! operation, and medians are printed. Texts cross between the two sides, as they do over a wire; the payload comes as text,
//! and each round trip has stores of its own. Developers call it.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program of a developer: it says what it found, and ends where something is not as expected"
)]

use agent_surface_interop::client::{self, Negotiated};
use agent_surface_interop::ed25519::{Keyring, PrivateKey};
use agent_surface_interop::memory::{MemoryIdempotency, MemoryInbound, MemoryOutbound};
use agent_surface_interop::router::{self, Admit, Durability, Host, Revalidate, Run, Settings};
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Admission, Call, Client, Digest, Direction, Error, Exact, Identifier, LogicalTime, Manifest, Operation,
    Outcome, Request, Router, Signal,
};
use std::fmt::Write;
use std::time::{Duration, Instant};

const CLIENT_ID: &str = "client:bench";
const ENDPOINT_ID: &str = "endpoint:bench";
const OPERATIONS: &[Operation] = &[Operation::AgentStep];
/// The least time of a sample.
const SAMPLE: Duration = Duration::from_millis(40);
/// Round trips per second of the protocol's other implementation, unsigned, where they are known: kind, bytes, number,
/// and how many times as many are wanted.
const PEER: [(&str, usize, f64, f64); 7] = [
    ("blob", 100, 615.0, 10.0),
    ("blob", 4_000, 479.0, 10.0),
    ("blob", 64_000, 157.0, 10.0),
    ("blob", 1_000_000, 9.6, 10.0),
    ("structured", 4_000, 83.0, 100.0),
    ("structured", 64_000, 6.6, 100.0),
    ("structured", 1_000_000, 0.36, 100.0),
];

/// `{"blob":"xxx…"}` of so many bytes.
fn blob(bytes: usize) -> String {
    format!("{{\"blob\":\"{}\"}}", "x".repeat(bytes - 11))
}

/// Rows as an agent would send them, of at least so many bytes; no text of it is canonical.
fn structured(bytes: usize) -> String {
    let (mut rows, mut at) = (String::new(), 0);
    while rows.len() + 12 < bytes {
        let comma = if at == 0 { "" } else { "," };
        let (is_on, level) = (at % 2 == 0, f64::from(at) * 1.5);
        write!(
            rows,
            "{comma}{{\"id\":\"dev-{at}\",\"name\":\"Device number {at}\",\"on\":{is_on},\"level\":{level},\"tags\":[\"a\",\"b\"]}}"
        )
        .unwrap();
        at += 1;
    }
    format!("{{\"rows\":[{rows}]}}")
}

struct Side {
    key: PrivateKey,
    ring: Keyring,
    idempotency: MemoryIdempotency,
    inbound: MemoryInbound,
    outbound: MemoryOutbound,
    router: Router,
}

impl Side {
    fn new(is_signed: bool) -> Self {
        let body = format!(
            "{{\"endpointId\":\"{ENDPOINT_ID}\",\"endpointVersion\":\"1.0.0\",\"implementationId\":\"impl:bench\",\
             \"endpointKind\":\"agent\",\"operations\":[\"agent.step\"],\"inputSchemaDigest\":\"sha256:{0}\",\
             \"outputSchemaDigest\":\"sha256:{0}\",\"supportsCancellation\":true,\"supportsDeterministicReplay\":true,\
             \"supportsCheckpoint\":true,\"requiresRequestSignature\":{is_signed},\"signsResponses\":{is_signed},\
             \"maximumRequestBytes\":4194304,\"maximumResponseBytes\":4194304,\"maximumStepsPerSession\":1000000}}",
            "0".repeat(64)
        );
        let manifest = Manifest::create(&Exact::parse(body, usize::MAX).unwrap()).unwrap();
        let key = PrivateKey::from_seed(&[7; 32]);
        let mut ring = Keyring::default();
        for id in [CLIENT_ID, ENDPOINT_ID] {
            ring.add(id, key.public_key()).unwrap();
        }
        let router = Router::new(Settings {
            instance_id: "router:bench",
            manifest,
            operations: OPERATIONS,
            revalidates: false,
            signer_id: Some(ENDPOINT_ID),
            durability: Durability::LocalOnly,
            lease: None,
        });
        Side {
            key,
            ring,
            idempotency: MemoryIdempotency::default(),
            inbound: MemoryInbound::default(),
            outbound: MemoryOutbound::default(),
            router: router.unwrap(),
        }
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

impl client::Ports for Side {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        Ok(Exact::parse(self.router.manifest().text(), usize::MAX)?)
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        let wire = Exact::parse(request.text(), usize::MAX)?;
        let step = self
            .router
            .handle(wire, request.logical_time(), Signal::default());
        let response = router::drive(step, self)?;
        Ok(Exact::parse(response.text(), usize::MAX)?)
    }

    fn resolve(&mut self, _: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key.sign(digest))
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.ring.verify(signer_id, digest, signature)
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl Host for Side {
    type Idempotency = MemoryIdempotency;
    type Inbound = MemoryInbound;

    fn idempotency(&mut self) -> &mut MemoryIdempotency {
        &mut self.idempotency
    }

    fn inbound(&mut self) -> &mut MemoryInbound {
        &mut self.inbound
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.ring.verify(signer_id, digest, signature)
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key.sign(digest))
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn admit(&mut self, _: &Admit) -> Result<Admission, Error> {
        Ok(Admission::Admit)
    }

    fn revalidate(&mut self, _: &Revalidate) -> Result<bool, Error> {
        Ok(true)
    }
}

impl router::Ports for Side {
    fn run(&mut self, question: &Run) -> Result<Outcome, Error> {
        Ok(Outcome {
            status: "completed".to_owned(),
            reason_code: "bench:echo".to_owned(),
            payload: question.request.payload().clone(),
        })
    }
}

/// What is measured: one kind of payload of one size, signed or not.
struct Row {
    kind: &'static str,
    bytes: usize,
    payload: String,
    endpoint: Negotiated,
    side: Side,
    samples: Vec<f64>,
}

impl Row {
    fn new(kind: &'static str, bytes: usize, is_signed: bool) -> Self {
        let mut side = Side::new(is_signed);
        let mut client = Client::new(CLIENT_ID, Some(CLIENT_ID)).unwrap();
        let endpoint = client::negotiate(&mut client, &mut side).unwrap();
        let payload = if kind == "blob" {
            blob(bytes)
        } else {
            structured(bytes)
        };
        let mut row = Row {
            kind,
            bytes,
            payload,
            endpoint,
            side,
            samples: Vec::new(),
        };
        // What is measured does what it should.
        assert_eq!(
            row.round_trip(),
            Exact::parse(row.payload.clone(), usize::MAX)
                .unwrap()
                .text()
                .len()
        );
        row
    }

    fn round_trip(&mut self) -> usize {
        self.side.idempotency = MemoryIdempotency::default();
        self.side.inbound = MemoryInbound::default();
        let call = Call {
            request_id: "request:1".to_owned(),
            idempotency_key: "key:1".to_owned(),
            session_id: "session:1".to_owned(),
            operation: Operation::AgentStep,
            sequence: 1,
            logical_time: LogicalTime::new(1).unwrap(),
            deadline: LogicalTime::MAX,
            payload: Exact::parse(self.payload.as_str(), usize::MAX).unwrap(),
        };
        let response = client::drive(self.endpoint.invoke(call, None), &mut self.side).unwrap();
        response.payload().text().len()
    }

    fn per_second(&self) -> f64 {
        median(&self.samples)
    }
}

/// The time that this thread has had a processor for, where the system tells (Linux): other programs disturb it less.
fn spent(begun: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

/// How often per second, over at least the time of a sample.
fn rate(mut act: impl FnMut() -> usize) -> f64 {
    let begun = Instant::now();
    let before = spent(begun);
    let (mut count, mut batch) = (0, 1);
    loop {
        for _ in 0..batch {
            assert_ne!(act(), 0);
        }
        count += batch;
        let time = spent(begun).saturating_sub(before);
        if time >= SAMPLE {
            return f64::from(count) / time.as_secs_f64();
        }
        batch = count;
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

fn main() {
    let rounds = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(9);
    let kinds = ["blob", "structured"];
    let sizes = [100, 4_000, 64_000, 1_000_000];
    let mut rows: Vec<Row> = kinds
        .into_iter()
        .flat_map(|kind| sizes.map(|bytes| [false, true].map(|is_signed| Row::new(kind, bytes, is_signed))))
        .flatten()
        .collect();
    let (reference, mut references) = (structured(32_000), Vec::new());
    for _ in 0..rounds {
        references.push(rate(|| {
            let value: serde_json::Value = serde_json::from_str(&reference).unwrap();
            value.to_string().len()
        }));
        for row in &mut rows {
            let sample = rate(|| row.round_trip());
            row.samples.push(sample);
        }
    }
    println!("round trips per second in one process, natively; medians of {rounds} rounds");
    println!(
        "{:<12}{:>10}{:>12}{:>12}{:>10}{:>8}{:>8}",
        "payload", "bytes", "unsigned", "signed", "peer", "times", "aim"
    );
    for pair in rows.chunks_exact(2) {
        let [unsigned, signed] = pair else { continue };
        let is_it =
            |(kind, bytes, ..): &&(&str, usize, f64, f64)| *kind == unsigned.kind && *bytes == unsigned.bytes;
        let peer = PEER
            .iter()
            .find(is_it)
            .map_or_else(String::new, |(_, _, peer, aim)| {
                format!("{peer:>10}{:>8.1}{aim:>8}", unsigned.per_second() / peer)
            });
        let (kind, bytes) = (unsigned.kind, unsigned.bytes);
        println!(
            "{kind:<12}{bytes:>10}{:>12.1}{:>12.1}{peer}",
            unsigned.per_second(),
            signed.per_second()
        );
    }
    println!(
        "reference: serde_json reads and writes 32 kB {:.0} times per second",
        median(&references)
    );
}
