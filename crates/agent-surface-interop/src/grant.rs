//! Admission: whether a request may be handled, and the grant that binds the answer to it.
//!
//! It refuses a grant for another request. The router checks what the host's admission said; handlers get the grant.

use crate::check::{Identifier, MAX_SAFE, Members};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::request::Request;
use agent_surface_json::exact::Exact;

/// What the host's admission says. Only these: any other answer of a page's port is no answer.
#[derive(Clone, Debug)]
pub enum Admission {
    /// No.
    Refuse,
    /// Yes, and there is nothing to bind.
    Admit,
    /// Yes, under a grant, which is still to be checked.
    Grant(Exact),
}

/// A checked grant. Immutable; a clone shares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    wire: Exact,
    admission_id: Identifier,
    scope_revision: u64,
    scope_epoch: u64,
    scope_digest: Digest,
    binding_digest: Digest,
}

impl Grant {
    /// Checks a grant for a request; more members are kept.
    pub(crate) fn read(wire: Exact, request: &Request) -> Result<Self, Error> {
        let members = Members(wire.value());
        if !members.is_raw("admitted", "true") {
            return Err(Rule::Grant.into());
        }
        let admission_id = members.identifier("admissionId")?;
        if members.digest_if_any("requestDigest") != Some(request.digest()) {
            return Err(Rule::GrantBinding.into());
        }
        let scope_revision = members.integer("scopeRevision", 0, MAX_SAFE)?;
        let scope_epoch = members.integer("scopeEpoch", 0, MAX_SAFE)?;
        let scope_digest = members.digest("scopeDigest")?;
        let binding_digest = members.digest("bindingDigest")?;
        Ok(Grant {
            wire,
            admission_id,
            scope_revision,
            scope_epoch,
            scope_digest,
            binding_digest,
        })
    }

    /// The whole, as the admission gave it.
    pub fn wire(&self) -> &Exact {
        &self.wire
    }

    /// Names the admission.
    pub fn admission_id(&self) -> &Identifier {
        &self.admission_id
    }

    /// The scope's revision.
    pub fn scope_revision(&self) -> u64 {
        self.scope_revision
    }

    /// The scope's epoch.
    pub fn scope_epoch(&self) -> u64 {
        self.scope_epoch
    }

    /// The scope's digest.
    pub fn scope_digest(&self) -> Digest {
        self.scope_digest
    }

    /// What binds the grant to the request.
    pub fn binding_digest(&self) -> Digest {
        self.binding_digest
    }
}
