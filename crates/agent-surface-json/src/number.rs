//! JSON number tokens as exact decimals: order, equality, wholeness, multiples.
//!
//! It refuses to convert to binary: tokens of ECMAScript form order the same in decimal as their doubles
//! do. Equality and the schema checks call it; `float` builds doubles from it.

use core::cmp::Ordering;

/// How two number tokens order; both are valid JSON.
pub fn compare_numbers(left: &str, right: &str) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    Decimal::parse(left).compare(&Decimal::parse(right))
}

/// Past this many significant digits `is_multiple_of` would overflow its remainder.
pub(crate) const MAX_DIVISOR_DIGITS: i64 = 18;

/// A number is `0.DIGITS × 10^point`, DIGITS without leading and trailing zeros; no digits: zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    pub(crate) negative: bool,
    /// From the first to the last significant digit; a decimal point may lie between.
    raw: &'a [u8],
    pub(crate) point: i64,
    pub(crate) count: i64,
}

fn length(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

impl<'a> Decimal<'a> {
    /// `token` is a valid JSON number.
    pub(crate) fn parse(token: &'a str) -> Self {
        let bytes = token.as_bytes();
        let negative = bytes.first() == Some(&b'-');
        let mantissa_end = bytes
            .iter()
            .position(|byte| byte | 32 == b'e')
            .unwrap_or(bytes.len());
        let (mantissa, exponent) = bytes.split_at_checked(mantissa_end).unwrap_or((bytes, &[]));
        let is_significant = |byte: &u8| matches!(byte, b'1'..=b'9');
        let (Some(first), Some(last)) = (
            mantissa.iter().position(is_significant),
            mantissa.iter().rposition(is_significant),
        ) else {
            return Decimal {
                negative,
                raw: &[],
                point: 0,
                count: 0,
            };
        };
        let dot = mantissa
            .iter()
            .position(|byte| *byte == b'.')
            .unwrap_or(mantissa.len());
        let raw = mantissa.get(first..=last).unwrap_or_default();
        let has_dot = first < dot && dot < last;
        let gap = if first < dot {
            first.abs_diff(dot)
        } else {
            dot.abs_diff(first) - 1
        };
        let gap = i64::try_from(gap).unwrap_or(i64::MAX);
        let point = if first < dot { gap } else { -gap };
        let count = length(raw) - i64::from(has_dot);
        Decimal {
            negative,
            raw,
            point: point.saturating_add(exponent_of(exponent)),
            count,
        }
    }

    pub(crate) fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.raw
            .iter()
            .filter(|byte| **byte != b'.')
            .map(|byte| byte - b'0')
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.is_zero() || self.point >= self.count
    }

    /// The value if it is whole, not negative and below 2^63.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        if !self.is_integer() || (self.negative && !self.is_zero()) || self.point > 18 {
            return None;
        }
        let value = self
            .digits()
            .fold(0, |value, digit| value * 10 + u64::from(digit));
        Some((self.count..self.point).fold(value, |value, _| value * 10))
    }

    /// The significant digits as one integer; at most 19 of them.
    pub(crate) fn mantissa(&self) -> u64 {
        self.digits().fold(0, |value, digit| {
            value.wrapping_mul(10).wrapping_add(u64::from(digit))
        })
    }

    pub(crate) fn compare(&self, other: &Decimal<'_>) -> Ordering {
        let sign = |number: &Decimal<'_>| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (_, true) => -1,
            _ => 1,
        };
        let signs = sign(self).cmp(&sign(other));
        if signs != Ordering::Equal || self.is_zero() {
            return signs;
        }
        let size = self
            .point
            .cmp(&other.point)
            .then_with(|| self.digits().cmp(other.digits()));
        if self.negative { size.reverse() } else { size }
    }

    /// Whether the number is an integer times `divisor`, which is not zero and has at most
    /// `MAX_DIVISOR_DIGITS` significant digits.
    pub(crate) fn is_multiple_of(&self, divisor: &Decimal<'_>) -> bool {
        let modulus = divisor.mantissa();
        if self.is_zero() || modulus == 0 {
            return self.is_zero();
        }
        // Both are integers times a power of ten, and the last digit of this one is not zero.
        let shift = (self.point - self.count).saturating_sub(divisor.point - divisor.count);
        if shift < 0 {
            return false;
        }
        let mut rest = self
            .digits()
            .fold(0, |rest, digit| (rest * 10 + u64::from(digit)) % modulus);
        // Past 60 powers of ten every factor 2 and 5 that the modulus can have is there.
        for _ in 0..shift.min(60) {
            rest = rest * 10 % modulus;
        }
        rest == 0
    }
}

/// Saturates far beyond any exponent that matters.
fn exponent_of(part: &[u8]) -> i64 {
    let is_negative = part.get(1) == Some(&b'-');
    let size = part
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0i64, |value, digit| {
            (value * 10 + i64::from(digit - b'0')).min(1_000_000_000_000)
        });
    if is_negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_compare_by_value_whatever_their_form() {
        for (a, b, expected) in [
            ("1", "1.0", Ordering::Equal),
            ("10e-1", "1", Ordering::Equal),
            ("-0", "0.00", Ordering::Equal),
            ("0.001", "1E-3", Ordering::Equal),
            ("123.456", "1.23456e+2", Ordering::Equal),
            ("2", "10", Ordering::Less),
            ("-2", "-10", Ordering::Greater),
            ("-1", "0", Ordering::Less),
            ("1e400", "1e399", Ordering::Greater),
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("0.1", "0.11", Ordering::Less),
            ("100.5", "99.9", Ordering::Greater),
        ] {
            assert_eq!(Decimal::parse(a).compare(&Decimal::parse(b)), expected, "{a} {b}");
        }
    }

    #[test]
    fn multiples_are_exact_in_decimal() {
        for (number, divisor, expected) in [
            ("0.3", "0.1", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("35", "1.5", false),
            ("1e308", "0.123456789", false),
            ("1e308", "0.5", true),
            ("12391239123", "1e-8", true),
            ("-9", "3", true),
            ("0", "7", true),
            ("10", "100", false),
            ("1e999999999999999", "3", false),
        ] {
            assert_eq!(
                Decimal::parse(number).is_multiple_of(&Decimal::parse(divisor)),
                expected,
                "{number} {divisor}"
            );
        }
    }

    #[test]
    fn whole_numbers_are_recognised_in_every_form() {
        for (token, expected) in [
            ("5", Some(5)),
            ("5.0", Some(5)),
            ("50e-1", Some(5)),
            ("1.5e3", Some(1500)),
            ("-0", Some(0)),
            ("-1", None),
            ("1.5", None),
            ("1e19", None),
        ] {
            assert_eq!(Decimal::parse(token).as_u64(), expected, "{token}");
        }
    }
}
