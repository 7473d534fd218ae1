//! Canonical texts of the remote protocol: a fixed point, and what is read from a reply is in it.

use agent_surface_interop::http::Location;
use agent_surface_interop::{Exact, Manifest};

pub(crate) fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let value = match Exact::parse(text.as_str(), 1 << 16) {
        Ok(value) => value,
        Err(error) => {
            assert!(!error.message().is_empty());
            return;
        }
    };
    let again = Exact::parse(value.text(), usize::MAX);
    assert_eq!(again.as_ref(), Ok(&value), "a canonical text is its own");
    for (key, member) in value.value().entries() {
        // Keys are unique, and numbers are finite.
        assert!(
            key.contains('\u{fffd}')
                || value
                    .member(&key)
                    .is_some_and(|found| found.text() == member.raw())
        );
        assert!(member.as_f64().is_none_or(f64::is_finite));
    }
    if let Ok(manifest) = Manifest::create(&value) {
        let wire = Exact::parse(manifest.text(), usize::MAX);
        assert_eq!(wire.map(|wire| Manifest::read(&wire)), Ok(Ok(manifest)));
    }
    if let Ok(mut reply) = Location::new("http://h/", None).and_then(|location| location.reply(200, None)) {
        assert!(reply.push(bytes).is_ok());
        // A byte order mark may go, and make a value of what was none; a value stays one.
        assert_eq!(reply.finish().ok(), Some(value), "the reply is the value");
    }
    assert!(Location::new(&text, None).is_err() || text.to_ascii_lowercase().contains("http"));
}
