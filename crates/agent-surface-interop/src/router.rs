//! The router: an endpoint's side of the protocol. It takes requests one by one as exchanges, each a machine that asks its
//! way from step to step.
//!
//! It refuses to act: stores, handlers, admission, signatures and schemas are the host's, behind questions. Servers call
//! it through a driver; `drive` is the synchronous one.

mod drive;
mod exchange;
mod questions;
mod settle;

pub use drive::{Host, Pause, Ports, advance, answer, drive};
pub use exchange::Step;
pub use questions::{Admit, Advance, CommitResponse, Load, Reserve, Revalidate, Run, Sign, Validate, Verify};

use crate::ask::Signal;
use crate::check::{Identifier, LogicalTime, MAX_SAFE, decimal};
use crate::error::{Error, Rule};
use crate::manifest::Manifest;
use crate::operation::Operation;
use agent_surface_json::exact::Exact;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};

/// Milliseconds for which a run is reserved unless the settings say otherwise.
const DEFAULT_LEASE: u64 = 30_000;
const MAX_LEASE: u64 = 3_600_000;

/// Whether what the stores hold outlives the process. It has to be said.
#[derive(Clone, Copy, Debug)]
pub enum Durability {
    /// It does, for responses of at most so many bytes; the manifest must not allow larger ones.
    Restart {
        /// Bytes of a response envelope that the stores surely hold.
        max_response_bytes: u64,
    },
    /// It does not: after a restart an effect may happen again.
    LocalOnly,
}

impl Durability {
    /// From what was said: that stores need not outlive the process, or for how large a response there are some that do.
    pub fn of(is_local_only: bool, durable: Option<u64>) -> Result<Self, Error> {
        match durable {
            Some(_) if is_local_only => Err(Rule::RouterBothStores.into()),
            Some(max_response_bytes) => Ok(Durability::Restart { max_response_bytes }),
            None if is_local_only => Ok(Durability::LocalOnly),
            None => Err(Rule::RouterNoStores.into()),
        }
    }
}

/// What a router is made of.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// Names this run of the router; another process or another start has another name.
    pub instance_id: &'a str,
    /// What it promises.
    pub manifest: Manifest,
    /// The operations that the host has handlers for: the manifest's.
    pub operations: &'a [Operation],
    /// Whether the host's admission can be asked again.
    pub revalidates: bool,
    /// Whom the host signs as, if it can sign and verify: the endpoint.
    pub signer_id: Option<&'a str>,
    /// Whether the stores outlive the process.
    pub durability: Durability,
    /// Logical milliseconds for which a run is reserved, 1 to 3,600,000; 30,000 unless said.
    pub lease: Option<u64>,
}

/// An endpoint's router. A clone is the same router.
#[derive(Clone, Debug)]
pub struct Router(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) manifest: Manifest,
    instance_id: Identifier,
    pub(crate) revalidates: bool,
    lease: u64,
    reservations: AtomicU64,
}

impl Router {
    /// Checks that the parts fit each other.
    pub fn new(settings: Settings<'_>) -> Result<Self, Error> {
        let manifest = settings.manifest;
        let needs_signer = manifest.requires_request_signature() || manifest.signs_responses();
        match settings.signer_id {
            None if needs_signer => return Err(Rule::RouterAuthenticity.into()),
            Some(signer) if signer != manifest.endpoint_id().as_str() => {
                return Err(Rule::RouterIdentity.into());
            }
            _ => {}
        }
        // A manifest with more members than this version has cannot be hashed the same everywhere.
        if !manifest.is_plain() {
            return Err(Rule::ManifestDigest.into());
        }
        check_handlers(&manifest, settings.operations)?;
        if let Durability::Restart { max_response_bytes } = settings.durability
            && max_response_bytes < manifest.max_response_bytes()
        {
            return Err(Rule::RouterStores.into());
        }
        let lease = settings.lease.unwrap_or(DEFAULT_LEASE);
        if !(1..=MAX_LEASE).contains(&lease) {
            return Err(Error::OutOfRange("reservationLeaseMs"));
        }
        let instance_id = Identifier::parse(settings.instance_id, "routerInstanceId")?;
        // So that every reservation's name is an identifier, too.
        reservation_id(&instance_id, MAX_SAFE)?;
        Ok(Router(Arc::new(Shared {
            manifest,
            instance_id,
            revalidates: settings.revalidates,
            lease,
            reservations: AtomicU64::new(0),
        })))
    }

    /// What it promises.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Takes a request in. `now` is the endpoint's logical time; `signal` says when the caller gives up.
    pub fn handle(&self, request: Exact, now: LogicalTime, signal: Signal) -> Step {
        exchange::begin(Arc::clone(&self.0), request, now, signal)
    }
}

impl Shared {
    pub(crate) fn lease_from(&self, now: LogicalTime) -> LogicalTime {
        now.after(self.lease)
    }

    pub(crate) fn next_reservation_id(&self) -> Result<Identifier, Error> {
        let count = self
            .reservations
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        reservation_id(&self.instance_id, count)
    }
}

/// One for each operation of the manifest, and none besides.
fn check_handlers(manifest: &Manifest, handled: &[Operation]) -> Result<(), Error> {
    let refuse = |what: &str, operation: &Operation, why: &str| {
        Err(Error::from(Rule::RouterHandlers).because([what, "`", operation.name(), "`", why].concat()))
    };
    let listed = manifest.operations();
    if let Some(operation) = listed.iter().find(|operation| !handled.contains(operation)) {
        return refuse("there is none for ", operation, ", which the manifest lists");
    }
    if let Some(operation) = handled.iter().find(|operation| !listed.contains(operation)) {
        return refuse(
            "there is one for ",
            operation,
            ", which the manifest does not list",
        );
    }
    if handled.len() != listed.len() {
        return Err(Rule::RouterHandlers.into());
    }
    Ok(())
}

fn reservation_id(instance_id: &Identifier, count: u64) -> Result<Identifier, Error> {
    let text = [instance_id.as_str(), ":", &decimal(count)].concat();
    Identifier::parse(&text, "routerInstanceId")
}
