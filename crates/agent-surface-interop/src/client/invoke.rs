//! One request of a client, from the call to the checked response: the steps of section 6, in their order.
//!
//! It refuses a response that is not its request's, and a payload that the schemas do not know. `Negotiated` begins it.

use super::{Endpoint, read_wire};
use crate::ask::{Ask, Ended, Question};
use crate::check::{Identifier, LogicalTime, Token};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::operation::Operation;
use crate::request::{Call, Request, Unsigned};
use crate::response::{Response, Status};
use crate::schema::{Direction, Verdict};
use crate::store::Allocation;
use agent_surface_json::exact::Exact;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

/// What the client needs to go on, or the end.
#[derive(Debug)]
pub enum Step {
    /// Whatever governs the session is to let the call pass.
    Gate(Ask<Gate>),
    /// The outbound store is to number the call.
    Allocate(Ask<Allocate>),
    /// A payload is to be compared with its schema.
    Validate(Ask<Check>),
    /// The request is to be signed.
    Sign(Ask<SignRequest>),
    /// The request is to be sent.
    Exchange(Ask<Exchange>),
    /// The response's signature is to be verified.
    Verify(Ask<VerifyResponse>),
    /// The response, or why there is none.
    Done(Result<Response, Error>),
}

impl Ended for Step {
    fn ended(error: Error) -> Self {
        Step::Done(Err(error))
    }
}

/// A request under way.
#[derive(Debug)]
pub struct Invocation {
    endpoint: Arc<Endpoint>,
    /// Whether a response that is not completed is an error.
    must_complete: bool,
}

type Next = Result<Step, Error>;

pub(super) fn begin(endpoint: Arc<Endpoint>, call: Call, expected_manifest: Option<Digest>) -> Step {
    let manifest_changed = expected_manifest.is_some_and(|digest| digest != endpoint.manifest.digest());
    if manifest_changed {
        return Step::ended(Rule::ClientManifest.into());
    }
    let invocation = Box::new(Invocation {
        endpoint,
        must_complete: false,
    });
    invocation.start(call).unwrap_or_else(Step::ended)
}

/// How the names of a numbered call are made.
#[derive(Clone, Debug)]
pub(crate) enum Names {
    /// They are known.
    Fixed {
        request_id: String,
        idempotency_key: String,
    },
    /// This, and the number.
    Numbered(String),
}

/// A call that still lacks its number.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) operation: Operation,
    pub(crate) session_id: String,
    pub(crate) allocation_key: String,
    pub(crate) names: Names,
    pub(crate) logical_time: LogicalTime,
    pub(crate) payload: Exact,
    pub(crate) is_gated: bool,
    pub(crate) must_complete: bool,
}

pub(super) fn begin_numbered(endpoint: Arc<Endpoint>, plan: Plan) -> Step {
    let invocation = Box::new(Invocation {
        endpoint,
        must_complete: plan.must_complete,
    });
    if plan.is_gated {
        return Step::Gate(Ask::new(Gate { plan }, invocation));
    }
    invocation.allocate(plan).unwrap_or_else(Step::ended)
}

impl Invocation {
    fn allocate(self: Box<Self>, plan: Plan) -> Next {
        let allocation = Allocation::new(
            self.endpoint.client_id.as_str(),
            &plan.session_id,
            self.endpoint.manifest.max_steps(),
            Some(&plan.allocation_key),
        )?;
        Ok(Step::Allocate(Ask::new(Allocate { allocation, plan }, self)))
    }

    fn start(self: Box<Self>, call: Call) -> Next {
        let manifest = &self.endpoint.manifest;
        if !manifest.operations().contains(&call.operation) {
            return Err(Error::OperationUnavailable(call.operation.name().to_owned()));
        }
        let question = Check {
            direction: Direction::Request,
            schema: manifest.input_schema(),
            operation: call.operation,
            payload: call.payload.clone(),
            then: Checked::Call(Box::new(call)),
        };
        Ok(Step::Validate(Ask::new(question, self)))
    }

    fn seal(self: Box<Self>, call: Call) -> Next {
        let Endpoint { manifest, client_id } = &*self.endpoint;
        let unsigned = Unsigned::new(call, client_id, manifest)?;
        if manifest.requires_request_signature() {
            return Ok(Step::Sign(Ask::new(SignRequest { unsigned }, self)));
        }
        Ok(self.send(unsigned.sign(None)?))
    }

    fn send(self: Box<Self>, request: Request) -> Step {
        let max_bytes = self.endpoint.manifest.max_response_wire_bytes();
        Step::Exchange(Ask::new(Exchange { request, max_bytes }, self))
    }

    fn receive(self: Box<Self>, wire: Exact, request: &Request) -> Next {
        let manifest = &self.endpoint.manifest;
        let response = Response::read(wire, request, manifest)?;
        if !manifest.signs_responses() {
            return self.check(response, request.operation());
        }
        let signature = response.signature().ok_or(Rule::ResponseSignature)?.clone();
        let question = VerifyResponse {
            signer_id: manifest.endpoint_id().clone(),
            digest: response.digest(),
            signature,
            operation: request.operation(),
            response,
        };
        Ok(Step::Verify(Ask::new(question, self)))
    }

    fn check(self: Box<Self>, response: Response, operation: Operation) -> Next {
        let manifest = &self.endpoint.manifest;
        response.check_size(manifest)?;
        if response.status() == Status::Completed {
            let question = Check {
                direction: Direction::Response,
                schema: manifest.output_schema(),
                operation,
                payload: response.payload().clone(),
                then: Checked::Response(response),
            };
            return Ok(Step::Validate(Ask::new(question, self)));
        }
        if self.must_complete {
            return Err(Error::NotCompleted(response.reason_code().as_str().to_owned()));
        }
        Ok(Step::Done(Ok(response)))
    }
}

/// May this call be made? The governed lifecycle answers.
#[derive(Debug)]
pub struct Gate {
    plan: Plan,
}

impl Gate {
    /// What is to be done.
    pub fn operation(&self) -> Operation {
        self.plan.operation
    }

    /// In which session.
    pub fn session_id(&self) -> &str {
        &self.plan.session_id
    }
}

impl Question for Gate {
    type Machine = Invocation;
    type Answer = ();
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, (): ()) -> Next {
        invocation.allocate(self.plan)
    }
}

/// Which number has this call?
#[derive(Debug)]
pub struct Allocate {
    /// For the outbound store.
    pub allocation: Allocation,
    plan: Plan,
}

impl Question for Allocate {
    type Machine = Invocation;
    type Answer = u64;
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, sequence: u64) -> Next {
        let plan = self.plan;
        let (request_id, idempotency_key) = match plan.names {
            Names::Fixed {
                request_id,
                idempotency_key,
            } => (request_id, idempotency_key),
            Names::Numbered(stem) => {
                let name = stem + &crate::check::decimal(sequence);
                (name.clone(), name)
            }
        };
        invocation.start(Call {
            request_id,
            idempotency_key,
            session_id: plan.session_id,
            operation: plan.operation,
            sequence,
            logical_time: plan.logical_time,
            deadline: LogicalTime::MAX,
            payload: plan.payload,
        })
    }
}

#[derive(Debug)]
enum Checked {
    Call(Box<Call>),
    Response(Response),
}

/// Does the schema of this digest accept the payload?
#[derive(Debug)]
pub struct Check {
    /// Which way it goes.
    pub direction: Direction,
    /// Which schema.
    pub schema: Digest,
    /// Of which operation.
    pub operation: Operation,
    /// What to compare.
    pub payload: Exact,
    then: Checked,
}

impl Question for Check {
    type Machine = Invocation;
    type Answer = Verdict;
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, verdict: Verdict) -> Next {
        let (rule, detail) = match (self.then, verdict) {
            (Checked::Call(call), Verdict::Accept) => return invocation.seal(*call),
            (Checked::Response(response), Verdict::Accept) => return Ok(Step::Done(Ok(response))),
            (Checked::Call(_), Verdict::Refuse(detail)) => (Rule::RequestSchema, detail),
            (Checked::Response(_), Verdict::Refuse(detail)) => (Rule::ResponseSchema, detail),
        };
        Err(Error::from(rule).because(detail))
    }
}

/// What is the client's signature over the digest's text?
#[derive(Debug)]
pub struct SignRequest {
    unsigned: Unsigned,
}

impl SignRequest {
    /// What is signed.
    pub fn digest(&self) -> Digest {
        self.unsigned.digest()
    }
}

impl Question for SignRequest {
    type Machine = Invocation;
    type Answer = String;
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, signature: String) -> Next {
        let token = Token::parse(&signature, "requestSignature")?;
        Ok(invocation.send(self.unsigned.sign(Some(token))?))
    }
}

/// What does the endpoint answer?
#[derive(Debug)]
pub struct Exchange {
    /// What to send: its text.
    pub request: Request,
    max_bytes: u64,
}

impl Exchange {
    /// The most bytes of the response as it comes in.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Reads what came over the wire: size first, then depth, then content.
    pub fn read(&self, wire: String) -> Result<Exact, Error> {
        read_wire(wire, self.max_bytes, Rule::ResponseTooLarge)
    }
}

impl Question for Exchange {
    type Machine = Invocation;
    type Answer = Exact;
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, wire: Exact) -> Next {
        invocation.receive(wire, &self.request)
    }
}

/// Is this the endpoint's signature over the digest's text?
#[derive(Debug)]
pub struct VerifyResponse {
    /// Whose key.
    pub signer_id: Identifier,
    /// What is signed.
    pub digest: Digest,
    /// The signature.
    pub signature: Token,
    operation: Operation,
    response: Response,
}

impl Question for VerifyResponse {
    type Machine = Invocation;
    type Answer = bool;
    type Step = Step;

    fn resume(self, invocation: Box<Invocation>, is_valid: bool) -> Next {
        if !is_valid {
            return Err(Rule::ResponseSignature.into());
        }
        invocation.check(self.response, self.operation)
    }
}
