//! `manifest.json`: made, read leniently, refused.
//!
//! It refuses nothing. The test runner calls it.

use crate::support::{assert_error, exact, list, text, vectors};
use agent_surface_interop::Manifest;

#[test]
fn manifests_are_made_and_read_with_the_same_digest() {
    let file = vectors("manifest.json");
    for case in list(&file, "accept") {
        let id = text(case, "id");
        let made = Manifest::create(&exact(&case["body"])).unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(made.digest().text(), text(case, "manifestDigest"), "{id}");
        assert_eq!(made.text(), exact(&case["manifest"]).text(), "{id}");
        assert_eq!(Manifest::read(&exact(&case["manifest"])), Ok(made), "{id}");
    }
}

#[test]
fn lenient_manifests_are_rebuilt_as_the_other_implementation_does() {
    let file = vectors("manifest.json");
    for case in list(&file, "lenientAccept") {
        let id = text(case, "id");
        let read =
            Manifest::read(&exact(&case["wireManifest"])).unwrap_or_else(|error| panic!("{id}: {error:?}"));
        assert_eq!(read.text(), exact(&case["rebuilt"]).text(), "{id}");
    }
}

#[test]
fn bad_manifests_are_refused_for_their_reason() {
    let file = vectors("manifest.json");
    for case in list(&file, "reject") {
        let id = text(case, "id");
        let error = Manifest::read(&exact(&case["wireManifest"])).expect_err(id);
        assert_error(&error, case, id);
    }
}
