//! Tool names on the wire: capability ids in the alphabet and length that every provider takes.
//!
//! It refuses to decode a name that could be read two ways. Called by the toolset, the `WebMCP` adapter and the
//! boundary's id helpers.
//!
//! A plain name is the id with `:` as `_` and `.` as `__`, then `_at_` and the instance where one is needed. A name
//! that is too long, or would not read back, is cut and ends in digits of a hash: 56 characters, `_` and 7 digits at
//! level 0; each level further gives two characters to the hash.

mod cut;

use crate::id::{self, CapabilityId};
use crate::table::Table;
use alloc::string::String;
use alloc::vec::Vec;

use cut::{Cut, LAST_LEVEL, OFFSET, fnv};

/// The longest wire name, in characters (all of them ASCII).
pub const MAX_WIRE_NAME_LENGTH: usize = 64;

/// A capability that needs a name in one catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRequest<'a> {
    /// The full capability id.
    pub id: &'a str,
    /// Given when the name has to say which instance is meant.
    pub instance: Option<&'a str>,
}

/// The wire name of an id on its own; `None` when it is no id.
pub fn encode(id: &str) -> Option<String> {
    id::parse(id)?;
    Some(first_name(NameRequest { id, instance: None }).0)
}

/// The wire name of an id at one instance; `None` when one of the two breaks its grammar.
pub fn encode_for_instance(id: &str, instance: &str) -> Option<String> {
    id::parse(id)?;
    id::is_instance_id(instance).then(|| {
        first_name(NameRequest {
            id,
            instance: Some(instance),
        })
        .0
    })
}

/// The id of a plain name. Only what encodes back byte for byte and is shorter than 64 characters has one. A catalog
/// keeps its own map: the cut name of `domain:a_` is also the plain name of `domain:a.` and seven digits, so a name
/// from elsewhere says what it could mean, not what it was made for.
pub fn decode(name: &str) -> Option<String> {
    if name.len() >= MAX_WIRE_NAME_LENGTH {
        return None;
    }
    let mut id = String::with_capacity(name.len());
    let mut bytes = name.bytes().peekable();
    let mut is_plane = true;
    while let Some(byte) = bytes.next() {
        id.push(match byte {
            b'_' if core::mem::take(&mut is_plane) => ':',
            b'_' if bytes.next_if_eq(&b'_').is_some() => '.',
            _ => char::from(byte),
        });
    }
    (encode(&id).as_deref() == Some(name)).then_some(id)
}

/// The wire name of an id on its own, and whether it reads back: such names of different ids differ.
pub(crate) fn own_name(id: &str) -> (String, bool) {
    let (name, level) = first_name(NameRequest { id, instance: None });
    (name, level.is_none())
}

/// One name per request, all different. Names that collide move to the next level together, so that the order of
/// the requests does not matter; only of two requests equal in everything the earlier one decides.
pub fn assign(requests: &[NameRequest<'_>]) -> Vec<String> {
    assign_with_owners(requests, &[])
}

/// As [`assign`], with the component type that owns each request: two references to one procedure from instances of
/// the same name differ in nothing else. An owner only matters where names collide.
pub fn assign_with_owners(requests: &[NameRequest<'_>], owners: &[&str]) -> Vec<String> {
    let mut names = Vec::with_capacity(requests.len());
    let mut levels = Vec::with_capacity(requests.len());
    for &request in requests {
        let (name, level) = first_name(request);
        names.push(name);
        levels.push(level);
    }
    // Every round moves at least two names up one level, and each has a last one.
    while let Some(collided) = collisions(&names) {
        let mut moved = false;
        let places = names.iter_mut().zip(&mut levels).zip(requests).zip(collided);
        for (position, (((name, level), &request), hit)) in places.enumerate() {
            if hit && *level != Some(LAST_LEVEL) {
                let next = level.map_or(0, |level| level + 1);
                *level = Some(next);
                let owner = owners.get(position).copied();
                *name = Cut {
                    request,
                    level: next,
                    owner,
                    position,
                }
                .name(&plain_name(request).0);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    names
}

/// Which names occur more than once; `None` when none does.
fn collisions(names: &[String]) -> Option<Vec<bool>> {
    let mut table = Table::with_room(names.len());
    let mut collided = Vec::new();
    for (position, name) in (0_u32..).zip(names) {
        let hash = fnv(OFFSET, name.as_bytes());
        let at = |index: u32| usize::try_from(index).unwrap_or(usize::MAX);
        let Some(earlier) = table.find(hash, &mut |other| names.get(at(other)) == Some(name)) else {
            table.insert(hash, position);
            continue;
        };
        collided.resize(names.len(), false);
        for hit in [earlier, position] {
            if let Some(mark) = collided.get_mut(at(hit)) {
                *mark = true;
            }
        }
    }
    (!collided.is_empty()).then_some(collided)
}

/// The name of a request on its own and its level; `None` for a plain one.
fn first_name(request: NameRequest<'_>) -> (String, Option<usize>) {
    let (plain, is_exact) = plain_name(request);
    if plain.len() <= MAX_WIRE_NAME_LENGTH && is_exact {
        return (plain, None);
    }
    (
        Cut {
            request,
            level: 0,
            owner: None,
            position: 0,
        }
        .name(&plain),
        Some(0),
    )
}

/// The plain name, whatever its length, and whether it stands for this request alone: `_` in a path could be a dot or
/// a plane.
fn plain_name(request: NameRequest<'_>) -> (String, bool) {
    let instance = request.instance.unwrap_or_default();
    let mut name = String::with_capacity(request.id.len() + instance.len() + 16);
    let parsed = id::parse(request.id);
    push_safe(&mut name, request.id, if parsed.is_some() { "__" } else { "_" });
    let mut is_exact = match parsed {
        Some(CapabilityId::View { .. }) => true,
        Some(CapabilityId::Domain { path }) => !path.bytes().any(|byte| byte == b'_'),
        None => false,
    };
    if request.instance.is_some() {
        name.push_str("_at_");
        push_safe(&mut name, instance, "_");
        is_exact &= id::is_instance_id(instance);
    }
    (name, is_exact)
}

/// Whatever the text is, only `[A-Za-z0-9_-]` comes out.
fn push_safe(name: &mut String, text: &str, dot: &str) {
    for byte in text.bytes() {
        if byte == b'.' {
            name.push_str(dot);
        } else {
            let is_safe = byte.is_ascii_alphanumeric() || byte == b'-';
            name.push(if is_safe { char::from(byte) } else { '_' });
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "what costs the module bytes is free natively: proptest formats what it found, and a million names are sorted"
)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn request<'a>(id: &'a str, instance: Option<&'a str>) -> NameRequest<'a> {
        NameRequest { id, instance }
    }

    fn is_wire_safe(name: &str) -> bool {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !name.is_empty() && name.len() <= MAX_WIRE_NAME_LENGTH && name.bytes().all(is_safe)
    }

    fn golden(file: &str) -> String {
        let folder = std::env::var("GOLDEN")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden").to_owned());
        std::fs::read_to_string(folder + file).expect("the golden file is there")
    }

    /// Of `id` or `id@instance`.
    fn golden_request(what: &str) -> NameRequest<'_> {
        match what.split_once('@') {
            Some((id, instance)) => request(id, Some(instance)),
            None => request(what, None),
        }
    }

    #[test]
    fn names_that_collide_are_those_of_the_golden_catalog() {
        let golden = golden("/wire-catalog.txt");
        let lines: Vec<[&str; 3]> = golden
            .lines()
            .map(|line| {
                let mut words = line.split(' ');
                [(); 3].map(|()| words.next().expect("a request, its owner and its name"))
            })
            .collect();
        let requests: Vec<NameRequest<'_>> = lines.iter().map(|[what, ..]| golden_request(what)).collect();
        let owners: Vec<&str> = lines.iter().map(|[_, owner, _]| *owner).collect();
        let names = assign_with_owners(&requests, &owners);
        let found: String = lines
            .iter()
            .zip(&names)
            .map(|([what, owner, _], name)| [what, " ", owner, " ", name, "\n"].concat())
            .collect();
        assert_eq!(found, golden);
    }

    #[test]
    fn names_are_those_of_the_golden_file() {
        let golden = golden("/wire-names.txt");
        let mut seen = 0;
        for line in golden.lines() {
            let (what, name) = line.split_once(' ').expect("an id, a space and a name");
            let found = match golden_request(what) {
                NameRequest {
                    id,
                    instance: Some(instance),
                } => encode_for_instance(id, instance),
                NameRequest { id, .. } => encode(id),
            };
            assert_eq!(found.as_deref(), Some(name), "{what}");
            seen += 1;
        }
        assert!(seen >= 60, "only {seen} names");
    }

    #[test]
    fn the_codec_is_the_seed() {
        assert_eq!(
            encode("view:devices.table.selectRows").as_deref(),
            Some("view_devices__table__selectRows")
        );
        assert_eq!(
            decode("view_devices__table__selectRows").as_deref(),
            Some("view:devices.table.selectRows")
        );
    }

    #[test]
    fn what_is_no_id_has_no_name() {
        assert_eq!(encode("view:Devices.rows"), None);
        assert_eq!(encode_for_instance("view:a.b", "two words"), None);
        assert_eq!(encode_for_instance("a.b", "main"), None);
    }

    #[test]
    fn only_what_encodes_back_decodes() {
        for name in [
            "",
            "view",
            "view_",
            "_a",
            "view__a__b",
            "view_a",
            "view_a_b",
            "view_a___b",
            "view_a__b_",
            "View_a__b",
            "domain_a_b",
            "domain_a_b_0000000",
            "view_a__b_at_main",
            "tool_a__b",
            "domain_",
            "domain_a__",
        ] {
            assert_eq!(decode(name), None, "{name}");
        }
        assert_eq!(decode("domain_a__b-C").as_deref(), Some("domain:a.b-C"));
    }

    #[test]
    fn a_name_of_64_characters_does_not_decode() {
        let id = id::domain(&"p".repeat(57));
        let name = encode(&id).expect("an id");
        assert_eq!((name.len(), decode(&name)), (64, None));
        let shorter = id::domain(&"p".repeat(56));
        assert_eq!(decode(&encode(&shorter).expect("an id")), Some(shorter));
    }

    #[test]
    fn a_path_with_an_underscore_never_takes_a_dotted_ones_name() {
        let requests = [
            request("domain:a_at_b", None),
            request("domain:a", Some("b")),
            request("domain:a.b", None),
        ];
        let names = assign(&requests);
        assert_eq!(names[1], "domain_a_at_b");
        assert_eq!(names[2], "domain_a__b");
        assert!(names[0].starts_with("domain_a_at_b_"));
    }

    #[test]
    fn a_plain_name_that_looks_like_a_cut_one_moves_with_it() {
        let cut = encode("domain:a_at_b").expect("an id");
        let instance = cut.strip_prefix("domain_a_at_").expect("a plain head");
        let names = assign(&[
            request("domain:a_at_b", None),
            request("domain:a", Some(instance)),
        ]);
        // The cut name goes from level 0 to 1, the plain one to level 0.
        assert_eq!(names[0].len(), cut.len() + 2);
        assert_eq!(names[1].len(), cut.len() + 8);
        let mut turned = assign(&[
            request("domain:a", Some(instance)),
            request("domain:a_at_b", None),
        ]);
        turned.reverse();
        assert_eq!(names, turned);
    }

    #[test]
    fn twins_are_told_apart_by_their_owner_whatever_the_order() {
        let twin = request("domain:devices.disable", Some("main"));
        let names = assign_with_owners(&[twin, twin], &["devices.table", "devices.map"]);
        let mut turned = assign_with_owners(&[twin, twin], &["devices.map", "devices.table"]);
        turned.reverse();
        assert_ne!(names[0], names[1]);
        assert_eq!(names, turned);
        assert_eq!(
            assign_with_owners(&[twin], &["devices.table"]),
            ["domain_devices__disable_at_main"]
        );
    }

    #[test]
    fn equal_requests_still_get_different_names() {
        let names = assign(&[request("domain:devices.disable", Some("main")); 50]);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 50);
        assert!(names.iter().all(|name| is_wire_safe(name)));
    }

    #[test]
    fn a_text_that_is_no_id_still_gets_a_safe_name() {
        let names = assign(&[
            request("", None),
            request("é:ü.x y", Some("\u{0}")),
            request("view:a.b", Some("")),
        ]);
        assert!(names.iter().all(|name| is_wire_safe(name)), "{names:?}");
    }

    /// Texts of a regular expression, which is read once.
    fn text(expression: &str) -> impl Strategy<Value = String> + use<> {
        proptest::string::string_regex(expression).expect("a regular expression")
    }

    /// Ids that provoke: few letters, `_` in paths, shared heads past the cut, instances that look like tails.
    fn requests() -> impl Strategy<Value = (String, Option<String>)> {
        let head = "organisation.settings.notifications.channels.email.rules";
        let id = prop_oneof![
            text("view:[ab]{1,2}(\\.[ab]{1,2}){0,2}\\.[ab]{1,3}"),
            text("domain:[ab_]{1,3}(\\.[ab_]{1,3}){0,2}"),
            text("domain:[A-Za-z0-9_-]{1,12}(\\.[A-Za-z0-9_-]{1,12}){0,3}"),
            text("[a-z]{1,8}[A-Z]{0,3}").prop_map(move |tail| id::view(head, &tail)),
            text("[ab_]{1,8}").prop_map(move |tail| id::domain(&[head, &tail].concat())),
        ];
        (id, proptest::option::of(text("(at_)?[ab_]{1,3}(_[0-9a-z]{7})?")))
    }

    /// A number in the digits `letters`, least first, with a dot after every `group` of them.
    fn spell(mut number: usize, letters: &str, group: usize) -> String {
        let digits: Vec<char> = letters.chars().collect();
        let mut text = String::new();
        loop {
            text.push(digits[number % digits.len()]);
            number /= digits.len();
            if number == 0 {
                return text;
            }
            if text
                .split('.')
                .next_back()
                .is_some_and(|last| last.len() == group)
            {
                text.push('.');
            }
        }
    }

    /// As [`requests`], by number, which is much faster.
    fn nth_request(number: usize) -> (String, Option<String>) {
        let head = "organisation.settings.notifications.channels.email.rules";
        let rest = number / 10;
        let id = match number % 5 {
            0 => id::view(&spell(rest, "ab", 2), "ab"),
            1 => id::view(head, &spell(rest, "abcxyz", 99)),
            2 => id::domain(&spell(rest, "ab_", 3)),
            3 => id::domain(&spell(rest, "a_-", 2)),
            _ => id::domain(&[head, &spell(rest, "ab_", 99)].concat()),
        };
        let instance = ["at", "at_a", "b_0000000", "_"][rest % 4].to_owned();
        (id, (number % 10 > 4).then_some(instance))
    }

    #[test]
    fn a_catalog_of_a_million_ids_has_no_two_equal_names_and_gives_back_only_what_is_plain() {
        const COUNT: usize = 1_000_000;
        let mut catalog: Vec<_> = (0..COUNT + COUNT / 20).map(nth_request).collect();
        catalog.sort_unstable();
        catalog.dedup();
        assert!(catalog.len() >= COUNT, "only {} ids", catalog.len());
        let list: Vec<NameRequest<'_>> = catalog
            .iter()
            .map(|(id, instance)| request(id, instance.as_deref()))
            .collect();
        let mut names = assign(&list);
        for (NameRequest { id, instance }, name) in list.iter().zip(&names) {
            assert!(is_wire_safe(name), "{id} {name}");
            let is_plain = instance.is_none() && !id.contains('_') && name.len() < MAX_WIRE_NAME_LENGTH;
            if is_plain {
                assert_eq!(decode(name).as_deref(), Some(*id));
            } else if let Some(other) = decode(name) {
                assert_eq!(encode(&other).as_ref(), Some(name), "{id}");
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_order_of_a_catalog_does_not_matter(catalog in vec(requests(), 1..40), turn in 0_usize..40) {
            let catalog: BTreeSet<_> = catalog.into_iter().collect();
            let list: Vec<NameRequest<'_>> =
                catalog.iter().map(|(id, instance)| request(id, instance.as_deref())).collect();
            let mut turned = list.clone();
            turned.rotate_left(turn % list.len());
            turned.reverse();
            let mut names = assign(&turned);
            names.reverse();
            names.rotate_right(turn % list.len());
            prop_assert_eq!(assign(&list), names);
        }

        #[test]
        fn what_decodes_encodes_back(name in "(view|domain)_[ab_]{1,12}") {
            if let Some(id) = decode(&name) {
                prop_assert_eq!(encode(&id), Some(name));
            }
        }

        #[test]
        fn a_name_comes_back_as_its_id_exactly_when_it_is_plain((id, _) in requests()) {
            let name = encode(&id).expect("an id");
            let is_plain = !id.contains('_') && name.len() < MAX_WIRE_NAME_LENGTH;
            prop_assert_eq!(decode(&name) == Some(id), is_plain);
        }
    }
}
