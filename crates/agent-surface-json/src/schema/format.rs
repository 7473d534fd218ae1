//! The five asserted formats of spec 1.4.
//!
//! It refuses to know any other. Compiling finds a format by name, validation calls its check.

use super::host::{has_only, is_domain, is_ip_literal, is_ipv4, is_ipv6};

/// A format: its check and how a message names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) check: fn(&str) -> bool,
    pub(crate) words: &'static str,
}

pub(crate) fn by_name(name: &str) -> Option<Format> {
    let (check, words): (fn(&str) -> bool, _) = match name {
        "date-time" => (is_date_time, "a date and time like 2025-01-31T09:30:00Z"),
        "date" => (is_date, "a date like 2025-01-31"),
        "uuid" => (is_uuid, "a UUID"),
        "email" => (is_email, "an email address"),
        "uri" => (is_uri, "an absolute URI"),
        _ => return None,
    };
    Some(Format { check, words })
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
                other => byte == other,
            })
}

/// The number that the digits at `at..end` stand for.
fn number(text: &str, at: usize, end: usize) -> u32 {
    let digits = text.bytes().skip(at).take(end - at);
    digits.fold(0, |value, digit| value * 10 + u32::from(digit.wrapping_sub(b'0')))
}

/// RFC 3339 `full-date`.
fn is_date(text: &str) -> bool {
    if !has_shape(text, "9999-99-99") {
        return false;
    }
    let (year, month, day) = (number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
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
    if !is_date(date) || !has_shape(&clock.to_ascii_uppercase(), "T99:99:99") {
        return false;
    }
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let Some(offset) = offset_minutes(zone) else {
        return false;
    };
    let (hour, minute, second) = (number(clock, 1, 3), number(clock, 4, 6), number(clock, 7, 9));
    // 1,439 is 23:59; an offset east of UTC is ahead of it, and a day is added to stay positive.
    let is_last_minute = (hour * 60 + minute + 2 * 1440 - offset) % 1440 == 1439;
    hour < 24 && minute < 60 && (second < 60 || (second == 60 && is_last_minute))
}

/// `Z` or `±hh:mm`: minutes ahead of UTC, a day added so that it is never negative.
fn offset_minutes(zone: &str) -> Option<u32> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(1440);
    }
    let is_ahead = zone.starts_with('+');
    if !(is_ahead || zone.starts_with('-')) || !has_shape(zone.get(1..)?, "99:99") {
        return None;
    }
    let (hours, minutes) = (number(zone, 1, 3), number(zone, 4, 6));
    let offset = hours * 60 + minutes;
    (hours < 24 && minutes < 60).then_some(if is_ahead { 1440 + offset } else { 1440 - offset })
}

/// RFC 9562, any version.
fn is_uuid(text: &str) -> bool {
    has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

/// RFC 5321 `Mailbox`.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_local = match local.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"').is_some_and(is_quoted),
        None => local.split('.').all(is_atom),
    };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_host = match literal {
        Some(address) => address
            .strip_prefix("IPv6:")
            .map_or_else(|| is_ipv4(address), is_ipv6),
        None => is_domain(domain),
    };
    is_local && local.len() <= 64 && is_host
}

fn is_atom(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
}

/// The inside of a quoted string: printable, quotes and backslashes escaped.
fn is_quoted(text: &str) -> bool {
    let mut bytes = text.bytes();
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
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(after) => after
            .split_at_checked(after.find('/').unwrap_or(after.len()))
            .unwrap_or((after, "")),
        None => ("", hierarchy),
    };
    is_scheme
        && is_authority(authority)
        && has_only(path, b":@/")
        && has_only(query, b":@/?")
        && has_only(fragment, b":@/?")
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.split_once('@').unwrap_or(("", authority));
    let (host, port) = match host.strip_prefix('[') {
        Some(literal) => match literal.split_once(']') {
            Some((address, after)) if is_ip_literal(address) => ("", after),
            _ => return false,
        },
        None => host
            .split_at_checked(host.find(':').unwrap_or(host.len()))
            .unwrap_or((host, "")),
    };
    let is_port = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
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
        assert!(!is_date_time("1998-12-31T22:59:60Z"));
        assert!(!is_date_time("1998-12-31T24:00:00Z"));
        assert!(!is_date_time("1998-12-31T23:00:00"));
        assert!(!is_date_time("1998-12-31T23:00:00.Z"));
        assert!(!is_date_time("1998-12-31é23:00:00Z"));
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
            "urn:a:b",
            "file:///x",
            "a:b%20c",
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
        ] {
            assert!(!is_uri(invalid), "{invalid}");
        }
    }
}
