//! An exchange of the remote protocol: members over a good request, or any text, and answers of any kind.
//!
//! What must hold: the router ends, what it hands out is within the manifest's bounds and answers the request, and a
//! response that the store was told to keep is the one that is handed out.

use agent_surface_interop::router::{Durability, Settings, Step};
use agent_surface_interop::store::{Place, Record};
use agent_surface_interop::{
    Admission, Digest, Domain, Error, Exact, LogicalTime, Manifest, Operation, Outcome, Router, Signal,
};
use agent_surface_json::exact::object;

use crate::bytes::{Bytes, halves};

const SCHEMA: &str = "sha256:ac495e08acd8dbeaa713c340bbf43b0af6cf723d0903ec32699dbbc1044a1377";
/// More steps than any exchange takes.
const MOST_STEPS: usize = 40;

fn parse(text: &str) -> Option<Exact> {
    Exact::parse(text, 1 << 20).ok()
}

fn manifest(signs: bool) -> Option<Manifest> {
    let flags = format!("\"requiresRequestSignature\":false,\"signsResponses\":{signs}");
    let body = format!(
        "{{\"endpointId\":\"endpoint:f\",\"endpointVersion\":\"1\",\"implementationId\":\"f\",\"endpointKind\":\"agent\",\
         \"operations\":[\"agent.step\"],\"inputSchemaDigest\":\"{SCHEMA}\",\"outputSchemaDigest\":\"{SCHEMA}\",\
         \"supportsCancellation\":true,\"supportsDeterministicReplay\":true,\"supportsCheckpoint\":true,{flags},\
         \"maximumRequestBytes\":4096,\"maximumResponseBytes\":1024,\"maximumStepsPerSession\":9}}"
    );
    Manifest::create(&parse(&body)?).ok()
}

/// A good request with these members over it, and digests that fit.
fn request(over: &Exact) -> Option<Exact> {
    let good = parse(
        "{\"deadlineLogicalMs\":100,\"endpointId\":\"endpoint:f\",\"idempotencyKey\":\"k\",\"issuerId\":\"i\",\
         \"logicalTimeMs\":1,\"operation\":\"agent.step\",\"payload\":{},\"protocol\":\"agentplat-interop/1\",\
         \"requestId\":\"r\",\"schemaVersion\":1,\"sequence\":1,\"sessionId\":\"s\",\"signature\":null}",
    )?;
    let members: Vec<(&str, &str)> = agent_surface_json::exact::raw_members(over.value()).collect();
    let merged = parse(&object(Some(good.value()), &[], &members))?;
    let payload = Digest::of(Domain::RequestPayload, merged.member("payload")?.text());
    let payload = format!("\"{}\"", payload.text());
    let whole = parse(&object(Some(merged.value()), &[], &[("payloadDigest", &payload)]))?;
    let body = object(Some(whole.value()), &["requestDigest", "signature"], &[]);
    let digest = format!("\"{}\"", Digest::of(Domain::Request, &body).text());
    parse(&object(Some(whole.value()), &[], &[("requestDigest", &digest)]))
}

pub(crate) fn fuzz(bytes: &[u8]) {
    let (script, text) = halves(bytes);
    let mut script = Bytes::new(script.as_bytes());
    let signs = script.flag();
    let Some((manifest, over)) = manifest(signs).zip(parse(&text)) else {
        return;
    };
    let wire = if script.one_in(8) {
        Some(over)
    } else {
        request(&over)
    };
    let router = Router::new(Settings {
        instance_id: "router:f",
        operations: &[Operation::AgentStep],
        revalidates: script.flag(),
        signer_id: signs.then_some("endpoint:f"),
        durability: Durability::LocalOnly,
        lease: None,
        manifest,
    });
    let now = LogicalTime::new(u64::from(script.byte()));
    if let (Ok(router), Some(wire), Ok(now)) = (router, wire, now) {
        play(&router, &wire, now, &mut script);
    }
}

fn play(router: &Router, wire: &Exact, now: LogicalTime, script: &mut Bytes<'_>) {
    let signal = Signal::default();
    let mut step = router.handle(wire.clone(), now, signal.clone());
    let mut stored: Option<Record> = None;
    for _ in 0..MOST_STEPS {
        if script.one_in(16) {
            signal.abort();
        }
        step = match step {
            Step::Done(Ok(response)) => {
                assert!(response.text().len() <= 1024, "within the manifest's bounds");
                let digest = response.wire().member("requestDigest");
                assert_eq!(digest, wire.member("requestDigest"), "an answer to the request");
                return;
            }
            Step::Done(Err(error)) => {
                assert!(!error.message().is_empty() && !error.code().is_empty());
                assert!([400, 401, 409, 413, 500].contains(&error.status()));
                return;
            }
            step => answer(step, script, &mut stored),
        };
    }
    assert!(matches!(step, Step::Done(_)), "the exchange ends");
}

fn answer(step: Step, script: &mut Bytes<'_>, stored: &mut Option<Record>) -> Step {
    let fails = script.one_in(24);
    let yes = !script.one_in(4);
    let failure = || Error::Host("failed".to_owned());
    let settled = |yes| if fails { Err(failure()) } else { Ok(yes) };
    match step {
        Step::Verify(ask) => ask.settle(settled(yes)),
        Step::Validate(ask) => ask.settle(settled(yes).map(Into::into)),
        Step::Admit(ask) if script.one_in(4) => {
            let digest = ask.question().request.digest().text();
            let grant = format!(
                "{{\"admitted\":{yes},\"admissionId\":\"a\",\"requestDigest\":\"{digest}\",\"scopeRevision\":0,\
                 \"scopeEpoch\":{},\"scopeDigest\":\"{SCHEMA}\",\"bindingDigest\":\"{SCHEMA}\"}}",
                script.byte()
            );
            let admission = parse(&grant).map_or(Admission::Refuse, Admission::Grant);
            ask.answer(admission)
        }
        Step::Admit(ask) => ask.answer(if yes { Admission::Admit } else { Admission::Refuse }),
        Step::Load(ask) if script.one_in(8) => {
            let record = Record::read(&script.text());
            ask.settle(record.map(Some))
        }
        Step::Load(ask) => ask.answer(stored.clone()),
        Step::Advance(ask) => {
            let places = [Place::Advanced, Place::Duplicate, Place::Stale, Place::Conflict];
            ask.answer(if yes {
                Place::Advanced
            } else {
                script.pick(&places).unwrap_or(Place::Stale)
            })
        }
        Step::Reserve(ask) => {
            if yes {
                let reservation = ask.question().wanted.clone();
                *stored = Some(Record {
                    reservation,
                    response: None,
                });
            }
            ask.settle(settled(yes))
        }
        Step::Run(ask) => {
            let statuses = ["completed", "refused", "deferred", "failed"];
            let outcome = Outcome {
                status: script.word(&statuses),
                reason_code: script.word(&["done", "interop_request_admission_expired"]),
                payload: parse(&script.word(&["null", "{}"]))
                    .unwrap_or_else(|| ask.question().request.payload().clone()),
            };
            if fails {
                ask.fail(failure())
            } else {
                ask.answer(outcome)
            }
        }
        Step::Revalidate(ask) => ask.settle(settled(yes)),
        Step::Sign(ask) => {
            let signature = script.word(&["signature"]);
            ask.answer(signature)
        }
        Step::Commit(ask) => {
            let question = ask.question();
            if yes {
                let (reservation, response) =
                    (question.reservation.clone(), question.response.wire().clone());
                *stored = Some(Record {
                    reservation,
                    response: Some(response),
                });
            }
            ask.settle(settled(yes))
        }
        Step::Done(_) => step,
    }
}
