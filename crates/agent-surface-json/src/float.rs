//! Exact conversion of a JSON number token to the nearest double, ties to even.
//!
//! It refuses the standard library's parser for its size in the module: the common tokens take the fast
//! path (W. Clinger, "How to read floating point numbers accurately", 1990), all others decimal shifts.
//! `Value::as_f64` calls it.

use crate::number::Decimal;
use alloc::vec::Vec;

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// More digits than the longest exact midpoint between two doubles has (767).
const MAX_DIGITS: usize = 800;
/// Bits per decimal shift: a digit times 5^24 and its carry stay below 2^64.
const MAX_SHIFT: i32 = 24;
const MANTISSA_BITS: i32 = 53;
const MIN_EXPONENT: i32 = -1074;

/// The double nearest to a valid JSON number token; past the range it is an infinity or a zero.
pub fn parse_f64(token: &str) -> f64 {
    let decimal = Decimal::parse(token);
    let size = fast(&decimal).unwrap_or_else(|| slow(&decimal));
    if decimal.negative { -size } else { size }
}

/// Exact when digits and power of ten are doubles themselves: one rounding, by the division.
fn fast(decimal: &Decimal<'_>) -> Option<f64> {
    if decimal.count > 15 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "15 digits are below 2^53")]
    let digits = decimal.mantissa() as f64;
    let exponent = decimal.point - decimal.count;
    if decimal.is_zero() {
        return Some(0.0);
    }
    let power = *POWERS.get(usize::try_from(exponent.unsigned_abs()).ok()?)?;
    Some(if exponent < 0 {
        digits / power
    } else {
        digits * power
    })
}

/// A decimal fraction `0.…d3d2d1 × 10^point` that can be shifted by powers of two; the last digit, which stands
/// first in value, is not zero.
struct Big {
    digits: Vec<u8>,
    point: i64,
}

impl Big {
    /// Multiplies by 2^bits. Downward that is 5 to the same power and a shift of the point.
    fn shift(&mut self, bits: i32) {
        let (base, down) = if bits < 0 { (5u64, bits) } else { (2, 0) };
        let factor = base.pow(bits.unsigned_abs());
        self.point += i64::from(down);
        let mut carry = 0;
        for digit in &mut self.digits {
            carry += u64::from(*digit) * factor;
            *digit = low_digit(carry % 10);
            carry /= 10;
        }
        while carry != 0 {
            self.digits.push(low_digit(carry % 10));
            self.point += 1;
            carry /= 10;
        }
    }

    /// Shifts by any distance, in steps.
    fn shift_far(&mut self, bits: i32) {
        let mut left = bits;
        while left != 0 {
            let step = left.clamp(-MAX_SHIFT, MAX_SHIFT);
            self.shift(step);
            left -= step;
        }
    }

    /// The nearest integer, ties to even.
    fn round(&self) -> u64 {
        let mut digits = self.digits.iter().rev().copied();
        let mut value = 0u64;
        for _ in 0..self.point {
            value = value * 10 + u64::from(digits.next().unwrap_or(0));
        }
        let first = if self.point < 0 {
            0
        } else {
            digits.next().unwrap_or(0)
        };
        let is_tie = first == 5 && digits.all(|digit| digit == 0);
        let is_up = if is_tie { value & 1 == 1 } else { first >= 5 };
        value + u64::from(is_up)
    }
}

/// `digit` is below ten.
fn low_digit(digit: u64) -> u8 {
    u8::try_from(digit).unwrap_or(9)
}

/// Bits that surely do not shift a number of this many decimal places past one.
fn bits_for(places: i64) -> i32 {
    // log2(10) is a little over 3.3.
    i32::try_from(places * 33 / 10).unwrap_or(0).clamp(1, MAX_SHIFT)
}

fn slow(decimal: &Decimal<'_>) -> f64 {
    if decimal.point > 310 {
        return f64::INFINITY;
    }
    if decimal.point < -330 {
        return 0.0;
    }
    let mut digits: Vec<u8> = decimal.digits().take(MAX_DIGITS).collect();
    if digits.len() == MAX_DIGITS {
        // What lies past them only matters as "not zero".
        digits.push(1);
    }
    digits.reverse();
    let point = decimal.point;
    let mut big = Big { digits, point };
    // Into [1/2, 1), counting the powers of two.
    let mut exponent = 0i32;
    while big.point > 0 {
        let bits = bits_for(big.point);
        big.shift(-bits);
        exponent += bits;
    }
    while big.point < 0 || big.digits.last().is_none_or(|digit| *digit < 5) {
        let bits = bits_for(-big.point);
        big.shift(bits);
        exponent -= bits;
    }
    let lowest = (exponent - MANTISSA_BITS).max(MIN_EXPONENT);
    big.shift_far(exponent - lowest);
    assemble(big.round(), lowest)
}

/// `mantissa × 2^lowest`, the mantissa at most 2^53; a carry into the exponent is what IEEE 754 wants.
fn assemble(mantissa: u64, lowest: i32) -> f64 {
    const HIDDEN: u64 = 1 << 52;
    if mantissa < HIDDEN {
        return f64::from_bits(mantissa);
    }
    let biased = u64::try_from(lowest - MIN_EXPONENT).unwrap_or(0);
    if biased >= 2046 || (biased == 2045 && mantissa > 2 * HIDDEN - 1) {
        return f64::INFINITY;
    }
    f64::from_bits((biased << 52) + mantissa)
}

#[cfg(test)]
mod tests {
    use super::parse_f64;
    use proptest::prelude::*;

    fn same(token: &str) {
        let expected: f64 = token.parse().unwrap();
        assert_eq!(parse_f64(token).to_bits(), expected.to_bits(), "{token}");
    }

    #[test]
    fn the_hard_cases_are_exact() {
        for token in [
            "0",
            "-0",
            "1",
            "-1.5",
            "0.1",
            "0.3",
            "1e22",
            "1e23",
            "9007199254740993",
            "9007199254740992.9999999999",
            "9007199254740993.0000000000000000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "-1e400",
            "5e-324",
            "2.4703282292062327e-324",
            "2.47032822920623275e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "2.2250738585072012e-308",
            "1e-400",
            "123456789012345678901234567890",
            "0.000001",
            "6.02214076e23",
            "4.9406564584124654e-324",
            "100000000000000000000",
            "8.5e0",
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
        ] {
            same(token);
        }
    }

    #[test]
    fn midpoints_of_many_digits_round_to_even() {
        let mut token = String::from("1.00000000000000011102230246251565404236316680908203125");
        same(&token);
        token.push_str(&"0".repeat(900));
        same(&token);
        token.push('1');
        same(&token);
    }

    proptest! {
        #[test]
        fn every_double_reads_back(bits in any::<u64>()) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            same(&double.to_string());
            same(&format!("{double:e}"));
            same(&format!("{double:.17e}"));
        }

        #[test]
        fn every_token_is_read_as_the_standard_library_does(
            token in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?"
        ) {
            same(&token);
        }
    }
}
