//! `canonical.json`: canonical texts and digests.
//!
//! It refuses nothing. The test runner calls it.

use crate::support::{assert_error, list, text, vectors};
use agent_surface_interop::{Digest, Domain, Error, Exact};

#[test]
fn accepted_texts_have_the_canonical_text_and_digests_of_the_vectors() {
    let file = vectors("canonical.json");
    for case in list(&file, "accept") {
        let id = text(case, "id");
        let value = Exact::parse(text(case, "jsonText"), usize::MAX)
            .unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(value.text(), text(case, "canonical"), "{id}");
        assert_eq!(
            value.text().len() as u64,
            case["byteLength"].as_u64().unwrap(),
            "{id}"
        );
        let digests = case["digests"].as_object().unwrap();
        for domain in Domain::ALL {
            let expected = digests[domain.name()].as_str().unwrap();
            assert_eq!(
                Digest::of(domain, value.text()).text(),
                expected,
                "{id} {domain:?}"
            );
            assert_eq!(Digest::parse(expected).unwrap().text(), expected);
        }
        let again = Exact::parse(value.text(), usize::MAX).unwrap();
        assert_eq!(again, value, "{id}");
    }
}

#[test]
fn rejected_texts_are_rejected_for_their_reason() {
    let file = vectors("canonical.json");
    for case in list(&file, "reject") {
        let id = text(case, "id");
        let error = Exact::parse(text(case, "jsonText"), usize::MAX).expect_err(id);
        assert_error(&Error::Json(error), case, id);
    }
}
