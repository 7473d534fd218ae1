//! Hosts and characters of addresses: what `email` and `uri` share.
//!
//! It refuses names outside ASCII. `format` calls it.

/// The text up to the first `separator`, and the text behind it if there is one.
#[inline(never)]
pub(crate) fn cut_at(text: &str, separator: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|byte| byte == separator) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
        None => (text, None),
    }
}

/// How many parts `separator` makes of the text, when each of them passes.
pub(crate) fn parts(text: &str, separator: u8, passes: &dyn Fn(&str) -> bool) -> Option<usize> {
    let mut count = 0;
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (part, after) = cut_at(text, separator);
        if !passes(part) {
            return None;
        }
        count += 1;
        rest = after;
    }
    Some(count)
}

/// Whether a text has only ASCII letters, digits and `more`.
#[inline(never)]
pub(crate) fn all(text: &str, more: &[u8]) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
}

/// Dotted decimal, no leading zeros (RFC 3986 `IPv4address`).
pub(crate) fn is_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| {
        let value = part.bytes().fold(0, |value: u32, byte| {
            value.wrapping_mul(10) + u32::from(byte.wrapping_sub(b'0'))
        });
        (1..=3).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && value <= 255
            && (part.len() == 1 || !part.starts_with('0'))
    };
    parts(text, b'.', &is_octet) == Some(4)
}

/// RFC 3986 `IPv6address`: the empty part of `::` stands for the groups that are missing.
pub(crate) fn is_ipv6(text: &str) -> bool {
    let mut groups = 0;
    let mut is_short = false;
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (group, after) = cut_at(text, b':');
        rest = after;
        if group.is_empty() {
            // At either end the `::` has a second empty part.
            let is_edge = groups == 0 && !is_short && after.is_some_and(|after| after.starts_with(':'));
            let is_last = is_short && after.is_none();
            if is_edge {
                rest = after.and_then(|after| after.get(1..));
                is_short = true;
                if rest == Some("") {
                    break;
                }
            } else if is_short || groups == 0 || is_last || after.is_none() {
                return false;
            } else {
                is_short = true;
                if after == Some("") {
                    break;
                }
            }
        } else if after.is_none() && is_ipv4(group) {
            groups += 2;
        } else if group.len() <= 4 && group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            groups += 1;
        } else {
            return false;
        }
    }
    if is_short { groups <= 7 } else { groups == 8 }
}

/// The inside of brackets in a URI: `IPv6address` or `IPvFuture`.
pub(crate) fn is_ip_literal(text: &str) -> bool {
    match (text.strip_prefix(['v', 'V']), cut_at(text, b'.')) {
        (Some(_), (version, Some(address))) => {
            version.len() > 1
                && version.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit())
                && !address.is_empty()
                && all(address, b"-._~!$&'()*+,;=:")
        }
        _ => is_ipv6(text),
    }
}

/// RFC 5321 `Domain`: labels of letters, digits and inner hyphens.
pub(crate) fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && all(label, b"-")
    };
    text.len() <= 255 && parts(text, b'.', &is_label).is_some()
}

/// Whether a URI part has only unreserved characters, sub-delimiters, percent escapes and `more`.
pub(crate) fn has_only(text: &str, more: &[u8]) -> bool {
    let mut digits_due = 0;
    for byte in text.bytes() {
        let is_fine = if digits_due > 0 {
            digits_due -= 1;
            byte.is_ascii_hexdigit()
        } else if byte == b'%' {
            digits_due = 2;
            true
        } else {
            byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte)
        };
        if !is_fine {
            return false;
        }
    }
    digits_due == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_in_full() {
        for valid in [
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7:8",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
            "1:2:3:4:5:6:7::",
            "1::2",
            "::2:3:4:5:6:7:8",
            "1::1.2.3.4",
        ] {
            assert!(is_ipv6(valid), "{valid}");
        }
        for invalid in [
            "",
            ":",
            "1:2",
            "1:::2",
            "1::2::3",
            "12345::",
            "1:2:3:4:5:6:7:8:9",
            "1.2.3.4::",
            "::1.2.3",
            "1:2:3:4:5:6:7:8::",
            ":1",
            "1:",
            ":::",
            ":1::2",
            "1::2:",
            "g::",
            "1:2:3:4:5:6:7:",
            "1:2:3:4:5:6:7:1.2.3.4",
            "::1:2:3:4:5:6:7:8",
        ] {
            assert!(!is_ipv6(invalid), "{invalid}");
        }
        assert!(is_ipv4("0.10.255.1"));
        for invalid in [
            "1.2.3",
            "1.2.3.256",
            "01.2.3.4",
            "1.2.3.4.5",
            "1..2.3",
            "a.b.c.d",
            "1.2.3.4444",
        ] {
            assert!(!is_ipv4(invalid), "{invalid}");
        }
    }
}
