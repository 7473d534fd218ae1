//! Hosts and characters of addresses: what `email` and `uri` share.
//!
//! It refuses names outside ASCII. `format` calls it.

/// Dotted decimal, no leading zeros (RFC 3986 `IPv4address`).
pub(crate) fn is_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| {
        let is_digits = !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
        let value = part
            .bytes()
            .fold(0, |value, byte| value * 10 + u32::from(byte.wrapping_sub(b'0')));
        is_digits && value <= 255 && (part.len() == 1 || !part.starts_with('0'))
    };
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

/// RFC 3986 `IPv6address`.
pub(crate) fn is_ipv6(text: &str) -> bool {
    match text.split_once("::") {
        Some((head, tail)) => {
            let groups = groups(head, false).zip(groups(tail, true));
            groups.is_some_and(|(before, after)| before + after <= 7)
        }
        None => groups(text, true) == Some(8),
    }
}

/// How many 16-bit groups a part of an address has; the last may be an IPv4 address, which counts two.
fn groups(part: &str, may_end_in_ipv4: bool) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let last = part.split(':').count() - 1;
    let mut count = 0;
    for (at, group) in part.split(':').enumerate() {
        let is_hex = (1..=4).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_ipv4 = at == last && may_end_in_ipv4 && is_ipv4(group);
        if !is_hex && !is_ipv4 {
            return None;
        }
        count += if is_ipv4 { 2 } else { 1 };
    }
    Some(count)
}

/// The inside of brackets in a URI: `IPv6address` or `IPvFuture`.
pub(crate) fn is_ip_literal(text: &str) -> bool {
    let future = text
        .strip_prefix(['v', 'V'])
        .and_then(|rest| rest.split_once('.'));
    match future {
        Some((version, address)) => {
            let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_version && !address.is_empty() && !address.contains('%') && has_only(address, b":")
        }
        None => is_ipv6(text),
    }
}

/// RFC 5321 `Domain`: labels of letters, digits and inner hyphens.
pub(crate) fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= 255 && text.split('.').all(is_label)
}

/// Whether a URI part has only unreserved characters, sub-delimiters, percent escapes and `more`.
pub(crate) fn has_only(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_fine = match byte {
            b'%' => {
                let mut is_hex = || bytes.next().is_some_and(|digit| digit.is_ascii_hexdigit());
                is_hex() && is_hex()
            }
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte),
        };
        if !is_fine {
            return false;
        }
    }
    true
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
        ] {
            assert!(!is_ipv6(invalid), "{invalid}");
        }
        assert!(is_ipv4("0.10.255.1"));
        for invalid in ["1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1..2.3", "a.b.c.d"] {
            assert!(!is_ipv4(invalid), "{invalid}");
        }
    }
}
