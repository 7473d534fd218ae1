//! The five asserted formats.
//!
//! It refuses to know any other. Compiling finds a format by name, validation calls its check.

use super::host::{all, cut_at, has_only, is_domain, is_ip_literal, is_ipv4, is_ipv6, parts};
use crate::document::Value;

static NAMES: [&str; 5] = ["date-time", "date", "uuid", "email", "uri"];

/// The number of a format, if there is one of this name.
pub(crate) fn by_name(name: Value<'_>) -> Option<u32> {
    (0..)
        .zip(NAMES)
        .find(|(_, known)| name.is_str(known))
        .map(|(number, _)| number)
}

/// Whether `text` has the format with this number.
pub(crate) fn is_valid(format: u32, text: &str) -> bool {
    match format {
        0 => is_date_time(text),
        1 => is_date(text),
        // RFC 9562, any version.
        2 => has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        3 => is_email(text),
        _ => is_uri(text),
    }
}

/// Bytes against a shape in which `9` is a digit and `x` a hexadecimal digit.
fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, wanted)| match wanted {
                b'9' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_hexdigit(),
                other => byte.eq_ignore_ascii_case(&other),
            })
}

/// The number that the two digits at `at` stand for.
fn two(text: &str, at: usize) -> u32 {
    text.bytes()
        .skip(at)
        .take(2)
        .fold(0, |value, digit| value * 10 + u32::from(digit.wrapping_sub(b'0')))
}

/// RFC 3339 `full-date`.
fn is_date(text: &str) -> bool {
    if !has_shape(text, "9999-99-99") {
        return false;
    }
    let (century, year, month, day) = (two(text, 0), two(text, 2), two(text, 5), two(text, 8));
    let is_leap = if year == 0 {
        century % 4 == 0
    } else {
        year % 4 == 0
    };
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 `date-time`; a leap second only at 23:59:60 UTC.
fn is_date_time(text: &str) -> bool {
    let (Some(date), Some(clock), Some(rest)) = (text.get(..10), text.get(10..19), text.get(19..)) else {
        return false;
    };
    let fraction = if rest.starts_with('.') {
        1 + rest.bytes().skip(1).take_while(u8::is_ascii_digit).count()
    } else {
        0
    };
    let zone = rest.get(fraction..).unwrap_or_default();
    let is_ahead = zone.starts_with('+');
    // Minutes ahead of UTC, a day added so that it is never negative.
    let offset = if has_shape(zone, "z") {
        1440
    } else if has_shape(zone, "+99:99") || has_shape(zone, "-99:99") {
        let (hours, minutes) = (two(zone, 1), two(zone, 4));
        if hours > 23 || minutes > 59 {
            return false;
        }
        let minutes = hours * 60 + minutes;
        if is_ahead { 1440 + minutes } else { 1440 - minutes }
    } else {
        return false;
    };
    let (hour, minute, second) = (two(clock, 1), two(clock, 4), two(clock, 7));
    // 1,439 is 23:59.
    let is_last_minute = || (hour * 60 + minute + 2 * 1440 - offset) % 1440 == 1439;
    fraction != 1
        && is_date(date)
        && has_shape(clock, "T99:99:99")
        && hour < 24
        && minute < 60
        && (second < 60 || (second == 60 && is_last_minute()))
}

/// RFC 5321 `Mailbox`.
fn is_email(text: &str) -> bool {
    let Some(at) = text.bytes().rposition(|byte| byte == b'@') else {
        return false;
    };
    let local = text.get(..at).unwrap_or_default();
    let domain = text.get(at + 1..).unwrap_or_default();
    let is_atom = |atom: &str| !atom.is_empty() && all(atom, b"!#$%&'*+-/=?^_`{|}~");
    let is_local = is_quoted(local) || parts(local, b'.', &is_atom).is_some();
    let is_host = match domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(literal) => match cut_at(literal, b':') {
            (tag, Some(address)) => tag.eq_ignore_ascii_case("IPv6") && is_ipv6(address),
            _ => is_ipv4(literal),
        },
        None => is_domain(domain),
    };
    is_local && local.len() <= 64 && is_host
}

/// A quoted string: printable, inner quotes and backslashes escaped.
fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
    if bytes.next() != Some(b'"') || bytes.next_back() != Some(b'"') {
        return false;
    }
    while let Some(byte) = bytes.next() {
        let is_pair = byte == b'\\';
        let shown = if is_pair { bytes.next().unwrap_or(0) } else { byte };
        if !matches!(shown, b' '..=b'~') || (shown == b'"' && !is_pair) {
            return false;
        }
    }
    true
}

/// RFC 3986 `URI`: with a scheme.
fn is_uri(text: &str) -> bool {
    let (scheme, Some(rest)) = cut_at(text, b':') else {
        return false;
    };
    let (rest, fragment) = cut_at(rest, b'#');
    let (hierarchy, query) = cut_at(rest, b'?');
    let (authority, path) = match hierarchy.as_bytes() {
        [b'/', b'/', ..] => cut_at(hierarchy.get(2..).unwrap_or_default(), b'/'),
        _ => ("", Some(hierarchy)),
    };
    scheme
        .bytes()
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && all(scheme, b"+-.")
        && is_authority(authority)
        && has_only(path.unwrap_or_default(), b":@/")
        && has_only(query.unwrap_or_default(), b":@/?")
        && has_only(fragment.unwrap_or_default(), b":@/?")
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = match cut_at(authority, b'@') {
        (user, Some(host)) => (user, host),
        (host, None) => ("", host),
    };
    let (host, port) = match cut_at(host, b']') {
        (literal, Some(port)) if port.is_empty() || port.starts_with(':') => {
            let address = literal.strip_prefix('[');
            if !address.is_some_and(is_ip_literal) {
                return false;
            }
            ("", port.get(1..))
        }
        _ => cut_at(host, b':'),
    };
    let is_port = port.unwrap_or_default().bytes().all(|byte| byte.is_ascii_digit());
    has_only(user, b":") && has_only(host, b"") && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_seconds_are_judged_in_utc() {
        assert!(is_date_time("1998-12-31T23:59:60Z"));
        assert!(is_date_time("1998-12-31T15:59:60.123-08:00"));
        assert!(is_date_time("1999-01-01T05:29:60+05:30"));
        for invalid in [
            "1998-12-31T22:59:60Z",
            "1998-12-31T24:00:00Z",
            "1998-12-31T23:00:00",
            "1998-12-31T23:00:00.Z",
            "1998-12-31é23:00:00Z",
            "1998-12-31T23:00:00+24:00",
            "1998-12-31 23:00:00Z",
        ] {
            assert!(!is_date_time(invalid), "{invalid}");
        }
    }

    #[test]
    fn leap_years_have_a_29th_of_february() {
        for (date, expected) in [
            ("2000-02-29", true),
            ("1900-02-29", false),
            ("2024-02-29", true),
            ("2023-02-29", false),
            ("0000-02-29", true),
        ] {
            assert_eq!(is_date(date), expected, "{date}");
        }
    }

    #[test]
    fn mailboxes_are_those_of_rfc_5321() {
        for valid in [
            "a@b",
            "a.b+c@x-y.example",
            "\"a\\\"b c\"@d.e",
            "a@[IPv6:1:2::3]",
            "a@[127.0.0.1]",
        ] {
            assert!(is_email(valid), "{valid}");
        }
        for invalid in [
            "a",
            "@b",
            "a@",
            "a@-b",
            "a@b-",
            "a@b..c",
            "a b@c",
            "é@c.d",
            "a@[1.2.3]",
            "\"a\"b\"@c",
            "\"@c",
            "a.@b",
        ] {
            assert!(!is_email(invalid), "{invalid}");
        }
    }

    #[test]
    fn uris_are_those_of_rfc_3986() {
        for valid in [
            "a:",
            "http://a:80/b?c#d",
            "http://[::1]:8080/",
            "http://[v1.a:b]/",
            "http://[::1]",
            "urn:a:b",
            "file:///x",
            "a:b%20c",
            "http://u:p@h",
            "http://h:",
            "a:?#",
        ] {
            assert!(is_uri(valid), "{valid}");
        }
        for invalid in [
            "",
            "a",
            ":a",
            "1a:b",
            "http://a:8x/",
            "http://[::1",
            "a:b c",
            "a:%2",
            "a:b\\c",
            "a:#x#y",
            "http://[1]/",
            "http://[::1]x",
            "http://a]b",
            "http://x[::1]/",
        ] {
            assert!(!is_uri(invalid), "{invalid}");
        }
    }
}
