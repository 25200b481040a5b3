//! The numbers of JSON text: their grammar, and when two spellings mean the same.
//!
//! Exact decimals, never floating point: `1`, `1.0` and `10e-1` are equal, and a number of twenty
//! digits stays itself.

/// The length of the number at the start of the text, or where its grammar breaks.
pub(super) fn scan_number(text: &[u8]) -> Result<usize, usize> {
    let mut at = usize::from(text.first() == Some(&b'-'));
    match text.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = after_digits(text, at),
        _ => return Err(at),
    }
    if text.get(at) == Some(&b'.') {
        at = some_digits(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = some_digits(text, at)?;
    }
    Ok(at)
}

fn after_digits(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
}

fn some_digits(text: &[u8], from: usize) -> Result<usize, usize> {
    match after_digits(text, from) {
        to if to > from => Ok(to),
        _ => Err(from),
    }
}

/// Whether the whole text is one number.
fn is_number(text: &str) -> bool {
    scan_number(text.as_bytes()) == Ok(text.len())
}

/// The value of a number, exact: the digits that matter and the power of ten they stand at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExactDecimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    /// Digits left out at the front and kept in all: zeros at either end mean nothing.
    leading: usize,
    significant: usize,
    power: i64,
}

impl<'a> ExactDecimal<'a> {
    /// `None` if the text is no number, or if its exponent is beyond any use.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        const LONGEST_EXPONENT: usize = 9;
        if !is_number(text) {
            return None;
        }
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        if exponent.len() > LONGEST_EXPONENT {
            return None;
        }
        let exponent: i64 = exponent.parse().ok()?;
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        let leading = digits().take_while(|digit| *digit == b'0').count();
        let total = whole.len() + fraction.len();
        if leading == total {
            let zero = Self { negative: false, whole, fraction, leading, significant: 0, power: 0 };
            return Some(zero);
        }
        let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
        let power = exponent - fraction.len() as i64 + trailing as i64;
        let significant = total - leading - trailing;
        Some(Self { negative, whole, fraction, leading, significant, power })
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes()).skip(self.leading).take(self.significant)
    }

    /// The value as a whole number, if it is one and fits.
    pub(crate) fn to_i128(self) -> Option<i128> {
        const MOST_DIGITS: i64 = 38;
        if self.power < 0 || self.significant as i64 + self.power > MOST_DIGITS {
            return None;
        }
        let digits = self.digits().map(|digit| i128::from(digit - b'0'));
        let value = digits.fold(0, |value: i128, digit| value * 10 + digit);
        let value = value * 10_i128.checked_pow(u32::try_from(self.power).ok()?)?;
        Some(if self.negative { -value } else { value })
    }

    /// Feeds what equal numbers have in common to a hasher.
    pub(crate) fn hash_into(self, state: &mut impl std::hash::Hasher) {
        state.write_u8(self.negative.into());
        state.write_i64(self.power);
        self.digits().for_each(|digit| state.write_u8(digit));
    }
}

impl PartialEq for ExactDecimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.negative == other.negative
            && self.power == other.power
            && self.significant == other.significant
            && self.digits().eq(other.digits())
    }
}
