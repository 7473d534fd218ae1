//! Names that a target takes, for tools whose own names it might not.
//!
//! It refuses to depend on anything but the names: the same tools get the same names in every session. A name that fits
//! stays; one that does not is spelled so that it does, with digits of a hash behind it. Called by `project`.

use crate::sort;
use crate::target::Profile;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Digits of the hash, in base 36: seven, or all of the 64 bits where seven collide.
const DIGITS: [usize; 2] = [7, 13];

/// A name for each tool; nothing for one that cannot be told apart from another.
pub fn assign(profile: &Profile, names: &[&str]) -> Vec<Option<String>> {
    // The first of equal names keeps what it would have alone.
    let is_first = |at: usize, name: &str| names.iter().position(|other| *other == name) == Some(at);
    let first: Vec<String> = names.iter().map(|name| fitted(profile, name, None)).collect();
    let mut levels = alloc::vec![0_usize; names.len()];
    let spelled = |levels: &[usize]| -> Vec<String> {
        let pairs = names.iter().zip(levels).zip(&first);
        pairs
            .map(|((name, level), plain)| match level.checked_sub(1) {
                None => plain.clone(),
                Some(at) => fitted(profile, name, Some(DIGITS.get(at).copied().unwrap_or(13))),
            })
            .collect()
    };
    let mut current = spelled(&levels);
    for _ in DIGITS {
        let mut clash = colliding(profile, names, &current);
        clash.retain(|at| names.get(*at).is_some_and(|name| is_first(*at, name)));
        if clash.is_empty() {
            break;
        }
        // All of a group move together, so that the order says nothing.
        for (at, level) in levels.iter_mut().enumerate() {
            *level += usize::from(clash.contains(&at));
        }
        current = spelled(&levels);
    }
    let mut taken: Vec<String> = Vec::new();
    let mut out = Vec::with_capacity(current.len());
    for (at, name) in current.into_iter().enumerate() {
        let key = folded(profile, &name);
        let is_free = !taken.contains(&key) && names.get(at).is_some_and(|own| is_first(at, own));
        if is_free {
            taken.push(key);
        }
        out.push(is_free.then_some(name));
    }
    out
}

/// Places of names that another tool's is like.
fn colliding(profile: &Profile, tools: &[&str], names: &[String]) -> Vec<usize> {
    let mut keys = Vec::with_capacity(names.len());
    for (name, tool) in names.iter().zip(tools) {
        keys.push((folded(profile, name), tool));
    }
    let mut found = Vec::new();
    let order = sort::order(keys.len(), &|a, b| keys.get(a) < keys.get(b));
    for pair in order.windows(2) {
        if let [a, b] = *pair
            && let (Some((left, tool)), Some((right, other))) = (keys.get(a), keys.get(b))
            && left == right
            && tool != other
        {
            let key = left;
            found.extend((0..keys.len()).filter(|at| keys.get(*at).is_some_and(|(other, _)| other == key)));
        }
    }
    found
}

/// What two names may not have in common.
fn folded(profile: &Profile, name: &str) -> String {
    if profile.has_free_names {
        name.to_owned()
    } else {
        name.to_ascii_lowercase()
    }
}

/// The name itself if it fits, else one that does. `digits` asks for a hash even where it fits.
fn fitted(profile: &Profile, name: &str, digits: Option<usize>) -> String {
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (profile.has_free_names && c == '.');
    let begins = |c: char| profile.has_free_names || c.is_ascii_alphabetic() || c == '_';
    let starts_well = name.chars().next().is_some_and(begins);
    let fits = starts_well && name.len() <= profile.max_name && name.chars().all(allowed);
    if fits && digits.is_none() {
        return name.to_owned();
    }
    let digits = digits.unwrap_or(7);
    let room = profile.max_name - digits - 1;
    let mut out = String::with_capacity(profile.max_name);
    if !starts_well {
        out.push('_');
    }
    for c in name.chars() {
        if out.len() >= room {
            break;
        }
        out.push(if allowed(c) { c } else { '_' });
    }
    out.push('_');
    push_hash(&mut out, name, digits);
    out
}

/// FNV-1a in 64 bits, in base 36: the lowest digits.
fn push_hash(out: &mut String, text: &str, digits: usize) {
    let mut hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    for _ in 0..digits {
        let digit = u32::try_from(hash % 36).unwrap_or(0);
        out.push(char::from_digit(digit, 36).unwrap_or('0'));
        hash /= 36;
    }
}

#[cfg(test)]
mod tests {
    use super::assign;
    use crate::target::by_name;

    fn names(target: &str, ids: &[&str]) -> Vec<Option<String>> {
        assign(by_name(target).unwrap(), ids)
    }

    #[test]
    fn a_name_that_fits_stays() {
        let id = "view_devices__table__selectRows";
        assert_eq!(names("openai-chat", &[id]), [Some(id.to_owned())]);
        assert_eq!(names("mcp", &["a.b"]), [Some("a.b".to_owned())]);
    }

    #[test]
    fn the_order_says_nothing_about_the_names() {
        let mut there = names("anthropic", &["a_b", "A_B", "c"]);
        let back = names("anthropic", &["c", "A_B", "a_b"]);
        there.reverse();
        assert_eq!(there, back);
        assert_eq!(there[0].as_deref(), Some("c"));
        assert_ne!(there[1].as_deref(), Some("A_B"));
    }

    #[test]
    fn two_tools_of_one_name_cannot_be_told_apart() {
        let found = names("gemini", &["same", "same"]);
        assert_eq!(found, [Some("same".to_owned()), None]);
    }
}
