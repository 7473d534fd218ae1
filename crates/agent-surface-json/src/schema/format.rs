//! The five asserted formats.
//!
//! It refuses to know any other. Compiling finds a format by name and compiles its pattern, if it has one; validation
//! calls the checks of the others.

use crate::document::Value;

/// One to four hexadecimal digits.
macro_rules! group {
    () => {
        r"[\dA-Fa-f]{1,4}"
    };
}

/// `IPv4address` of RFC 3986: dotted decimal, no leading zeros.
macro_rules! ipv4 {
    () => {
        concat!(ipv4!(byte), r"(?:\.", ipv4!(byte), "){3}")
    };
    (byte) => {
        r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
    };
}

/// `IPv6address` of RFC 3986, its nine lines in their order.
macro_rules! ipv6 {
    () => {
        concat!(
            "(?:(?:", ipv6!(6), "|::", ipv6!(5), "|", ipv6!(to 0), ipv6!(4), "|", ipv6!(to 1), ipv6!(3), "|",
            ipv6!(to 2), ipv6!(2), "|", ipv6!(to 3), ipv6!(1), "|", ipv6!(to 4), ")(?:", group!(), ":", group!(), "|",
            ipv4!(), ")|", ipv6!(to 5), group!(), "|", ipv6!(to 6), ")"
        )
    };
    (to $most:literal) => {
        concat!("(?:(?:", group!(), ":){0,", $most, "}", group!(), ")?::")
    };
    ($count:literal) => {
        concat!("(?:", group!(), ":){", $count, "}")
    };
}

/// One character of a URI's part: unreserved, a sub-delimiter, percent-encoded, or one of these.
macro_rules! uri {
    ($more:literal) => {
        concat!(r"(?:[\w.~!$&'()*+,;=", $more, r"-]|%[\dA-Fa-f]{2})")
    };
}

/// RFC 5321 `Mailbox`; at most 64 octets before the last `@`, 255 behind it.
const EMAIL: &str = concat!(
    r"^(?=[^]{1,64}@[^@]{1,255}$)",
    r"(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*",
    r#"|"(?:[ !#-\[\]-~]|\\[ -~])*")@"#,
    r"(?:[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?)*",
    r"|\[(?:",
    ipv4!(),
    "|[Ii][Pp][Vv]6:",
    ipv6!(),
    r")\])$"
);

/// RFC 3986 `URI`: with a scheme.
const URI: &str = concat!(
    r"^[A-Za-z][A-Za-z\d+.-]*:(?://(?:",
    uri!(":"),
    r"*@)?",
    r"(?:\[(?:",
    ipv6!(),
    r"|[Vv][\dA-Fa-f]+\.[\w.~!$&'()*+,;=:-]+)\]|",
    uri!(""),
    r"*)(?::\d*)?(?:/",
    uri!(":@/"),
    r"*)?",
    // No `//` at the start of a path without an authority.
    "|/?(?:",
    uri!(":@"),
    uri!(":@/"),
    r"*)?)(?:\?",
    uri!(":@/?"),
    "*)?(?:#",
    uri!(":@/?"),
    "*)?$"
);

/// Names, and the patterns of those that are patterns: they come last.
static FORMATS: [(&str, &str); 5] = [
    ("date-time", ""),
    ("date", ""),
    ("uuid", ""),
    ("email", EMAIL),
    ("uri", URI),
];
/// Formats from this number on are patterns.
pub(crate) const FIRST_PATTERN: u32 = 3;

/// The number of a format and its pattern, if there is one of this name.
pub(crate) fn by_name(name: Value<'_>) -> Option<(u32, &'static str)> {
    let (number, (_, pattern)) = (0..).zip(FORMATS).find(|(_, (known, _))| name.is_str(known))?;
    Some((number, pattern))
}

/// Whether `text` has the format with this number, which is no pattern.
pub(crate) fn is_valid(format: u32, text: &str) -> bool {
    let text = text.as_bytes();
    match format {
        0 => is_date_time(text),
        1 => is_date(text),
        // RFC 9562, any version.
        _ => has_shape(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
    }
}

/// Bytes against a shape in which `9` is a digit, `x` a hexadecimal digit and `+` a sign.
fn has_shape(text: &[u8], shape: &str) -> bool {
    text.len() == shape.len()
        && text.iter().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
            b'9' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            b'+' => matches!(byte, b'+' | b'-'),
            other => byte.eq_ignore_ascii_case(&other),
        })
}

/// The number that the two digits at `at` stand for.
fn two(text: &[u8], at: usize) -> u32 {
    let digit = |at: usize| text.get(at).map_or(0, |digit| u32::from(digit & 15));
    digit(at) * 10 + digit(at + 1)
}

/// RFC 3339 `full-date`.
fn is_date(text: &[u8]) -> bool {
    let (century, year, month, day) = (two(text, 0), two(text, 2), two(text, 5), two(text, 8));
    let is_leap = if year == 0 { century } else { year }.is_multiple_of(4);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    has_shape(text, "9999-99-99") && (1..=days).contains(&day)
}

/// RFC 3339 `date-time`; a leap second only at 23:59:60 UTC.
fn is_date_time(text: &[u8]) -> bool {
    let Some((date, clock)) = text.split_at_checked(10) else {
        return false;
    };
    let Some((clock, mut zone)) = clock.split_at_checked(9) else {
        return false;
    };
    if let [b'.', b'0'..=b'9', rest @ ..] = zone {
        zone = rest;
        while let [b'0'..=b'9', rest @ ..] = zone {
            zone = rest;
        }
    }
    let (hours, minutes) = (two(zone, 1), two(zone, 4));
    let is_utc = has_shape(zone, "z");
    let is_zone = is_utc || (has_shape(zone, "+99:99") && hours < 24 && minutes < 60);
    let offset = if is_utc { 0 } else { hours * 60 + minutes };
    let (hour, minute, second) = (two(clock, 1), two(clock, 4), two(clock, 7));
    // In UTC, a day added so that it is never negative; of what is no zone, whatever it gives is refused below.
    let ahead = if zone.starts_with(b"+") {
        1440_u32.saturating_sub(offset)
    } else {
        1440 + offset
    };
    // 1,439 is 23:59.
    let is_last_minute = (hour * 60 + minute + ahead) % 1440 == 1439;
    is_date(date)
        && has_shape(clock, "t99:99:99")
        && is_zone
        && hour < 24
        && minute < 60
        && second < 60 + u32::from(is_last_minute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;

    fn is_email(text: &str) -> bool {
        Pattern::compile(EMAIL).unwrap().is_match(text)
    }

    fn is_uri(text: &str) -> bool {
        Pattern::compile(URI).unwrap().is_match(text)
    }

    fn is_date_time(text: &str) -> bool {
        is_valid(0, text)
    }

    fn is_date(text: &str) -> bool {
        is_valid(1, text)
    }

    /// Inside of brackets, where both formats have them.
    fn is_ipv6(text: &str) -> bool {
        let verdict = is_uri(&["a://[", text, "]"].concat());
        assert_eq!(is_email(&["a@[ipV6:", text, "]"].concat()), verdict, "{text}");
        verdict
    }

    fn is_ipv4(text: &str) -> bool {
        is_email(&["a@[", text, "]"].concat())
    }

    #[test]
    fn a_zone_of_any_digits_is_refused_and_breaks_nothing() {
        for zone in ["+99:99", "-99:99", "+24:00", "+23:60"] {
            let text = ["2024-01-01T00:00:00", zone].concat();
            assert!(!is_date_time(&text), "{text}");
        }
    }

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
        let long = |local: usize, label: usize, more: &str| {
            is_email(&["x".repeat(local), "@".into(), "y".repeat(label), more.into()].concat())
        };
        assert!(long(64, 63, ""));
        assert!(!long(65, 63, ""));
        assert!(!long(1, 64, ""));
        assert!(long(1, 1, &".z".repeat(127)));
        assert!(!long(1, 2, &".z".repeat(127)));
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
