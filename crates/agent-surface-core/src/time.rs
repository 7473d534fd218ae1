//! Points in time as the host gives them.
//!
//! Refuses to read a clock: every time comes in through `handle` and friends. Used by every module of the core.

use alloc::string::String;
/// Milliseconds since the Unix epoch, as `Date.now()` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Millis(pub f64);

impl Millis {
    /// This time moved by `ms` milliseconds.
    #[must_use]
    pub fn plus(self, ms: u32) -> Self {
        Self(self.0 + f64::from(ms))
    }

    /// Whole milliseconds from `earlier` to this time; 0 when the clock went backwards.
    pub fn since(self, earlier: Self) -> u64 {
        let elapsed = self.0 - earlier.0;
        if elapsed > 0.0 { whole(elapsed) } else { 0 }
    }

    /// ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` prints it (years 1970 to 9999).
    pub fn iso(self) -> String {
        let total = whole(self.0.max(0.0));
        let (days, of_day) = (total / 86_400_000, total % 86_400_000);
        let (year, month, day) = civil(days);
        let mut out = String::with_capacity(24);
        pad(&mut out, year, 1000);
        out.push('-');
        pad(&mut out, month, 10);
        out.push('-');
        pad(&mut out, day, 10);
        out.push('T');
        pad(&mut out, of_day / 3_600_000, 10);
        out.push(':');
        pad(&mut out, of_day / 60_000 % 60, 10);
        out.push(':');
        pad(&mut out, of_day / 1000 % 60, 10);
        out.push('.');
        pad(&mut out, of_day % 1000, 100);
        out.push('Z');
        out
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both callers pass a value that is not negative, and `as` saturates"
)]
fn whole(ms: f64) -> u64 {
    ms as u64
}

/// The digits of a value from the one that `scale`, a power of ten, stands for.
fn pad(out: &mut String, value: u64, mut scale: u64) {
    while scale > 0 {
        let digit = u32::try_from(value / scale % 10).unwrap_or(0);
        out.push(char::from_digit(digit, 10).unwrap_or('0'));
        scale /= 10;
    }
}

/// Year, month and day of a day count since 1970-01-01 in the proleptic Gregorian calendar, by counting in
/// years that begin in March, so that the leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_iso_8601() {
        assert_eq!(Millis(0.0).iso(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Millis(951_782_400_000.0).iso(), "2000-02-29T00:00:00.000Z");
        assert_eq!(Millis(1_767_225_599_999.0).iso(), "2025-12-31T23:59:59.999Z");
        assert_eq!(Millis(4_107_542_400_123.0).iso(), "2100-03-01T00:00:00.123Z");
    }

    #[test]
    fn a_clock_that_went_backwards_counts_as_no_time() {
        assert_eq!(Millis(5.0).since(Millis(9.0)), 0);
        assert_eq!(Millis(9.5).since(Millis(5.0)), 4);
    }
}
