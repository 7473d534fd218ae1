//! Ids and wire names: parsing and formatting are each other's reverse, and no two names of a catalog are equal.

use std::collections::BTreeSet;

use agent_surface_core::id::{self, CapabilityId};
use agent_surface_core::wire::{self, NameRequest};

use crate::bytes::Bytes;

const WORDS: [&str; 9] = [
    "view:a.b",
    "view:devices.table.selectRows",
    "domain:a_b",
    "domain:devices.disable",
    "main",
    "view:a.b_at_c",
    "view_a__b_at_main",
    "domain:A-1.b",
    "view:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b",
];

pub(crate) fn fuzz(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut catalog = BTreeSet::new();
    while !bytes.is_empty() && catalog.len() < 64 {
        let id = bytes.word(&WORDS);
        let instance = bytes.word(&["main", "default", "x_y"]);
        one(&id, &instance);
        if id::parse(&id).is_some() && id::is_instance_id(&instance) {
            catalog.insert((id, bytes.flag().then_some(instance)));
        }
    }
    let requests: Vec<NameRequest<'_>> = catalog
        .iter()
        .map(|(id, instance)| NameRequest {
            id,
            instance: instance.as_deref(),
        })
        .collect();
    let names = wire::assign(&requests);
    assert_eq!(names.len(), requests.len());
    assert_eq!(
        names.iter().collect::<BTreeSet<_>>().len(),
        names.len(),
        "two names are equal"
    );
    assert!(names.iter().all(|name| is_wire_name(name)));
}

fn one(text: &str, instance: &str) {
    match id::parse(text) {
        Some(CapabilityId::View { component_type, name }) => {
            assert!(id::is_component_type(component_type) && id::is_capability_name(name));
            assert_eq!(id::view(component_type, name), text);
            assert!(id::is_within(component_type, component_type));
        }
        Some(CapabilityId::Domain { path }) => assert_eq!(id::domain(path), text),
        None => assert_eq!(wire::encode(text), None),
    }
    if let Some(name) = wire::encode(text) {
        assert!(is_wire_name(&name));
        let back = wire::decode(&name);
        // A cut name can be the plain one of another id.
        assert!(
            back.is_none_or(|back| wire::encode(&back) == Some(name)),
            "a name of neither"
        );
    }
    if let Some(name) = wire::encode_for_instance(text, instance) {
        assert!(is_wire_name(&name) && id::is_instance_id(instance));
    }
    if let Some(back) = wire::decode(text) {
        assert_eq!(
            wire::encode(&back).as_deref(),
            Some(text),
            "decodes what it would not write"
        );
    }
    let scope = [instance.to_owned(), text.to_owned()];
    id::matches_scope(text, &scope);
}

fn is_wire_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(fits)
}
