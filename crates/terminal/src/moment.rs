//! Times as people write them: RFC 3339 in and out, and how long ago.
//!
//! UTC when written, and nothing before 1970. The calendar is `jiff`'s; time zones are nobody's.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use jiff::fmt::temporal::Pieces;
use toolgate_types::since_1970;

const SECOND: u64 = 1_000;
const DAY: u64 = 86_400 * SECOND;
/// After so long the calendar repeats.
const FOUR_CENTURIES: u64 = 146_097 * DAY;
const BEGIN_OF_1970: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// From when on: a time, or so long before now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SinceMoment {
    /// In milliseconds since 1970.
    At(u64),
    Ago(u64),
}

impl SinceMoment {
    /// `45s`, `30m`, `2h`, `3d`, `1w`, or a time as RFC 3339 writes it.
    pub fn parse(text: &str) -> Result<Self, String> {
        ago(text).map(Self::Ago).or_else(|| at(text).map(Self::At)).ok_or_else(|| {
            "write how long ago, as in 2h or 3d, or a time, as in 2026-01-31T12:00:00Z".to_owned()
        })
    }

    /// In milliseconds since 1970.
    pub fn as_millis(self) -> u64 {
        match self {
            Self::At(at) => at,
            Self::Ago(ago) => now().saturating_sub(ago),
        }
    }
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}

fn ago(text: &str) -> Option<u64> {
    let unit = match text.chars().last()? {
        's' => SECOND,
        'm' => 60 * SECOND,
        'h' => 3_600 * SECOND,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    number(&text[..text.len() - 1])?.checked_mul(unit)
}

/// Digits and nothing else; the standard library also takes a sign.
fn number(digits: &str) -> Option<u64> {
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_plain.then(|| digits.parse().ok()).flatten()
}

/// `2026-01-31T12:00:00Z`, with a fraction or an offset where one is written.
fn at(text: &str) -> Option<u64> {
    let text = to_the_nanosecond(text);
    let pieces = Pieces::parse(text.as_ref()).ok()?;
    // Not by way of a `Timestamp`, which ends a day before the year 9999 does.
    let local = pieces.date().to_datetime(pieces.time()?);
    let offset = SignedDuration::from_secs(pieces.to_numeric_offset()?.seconds().into());
    let since = Duration::try_from(local.duration_since(BEGIN_OF_1970) - offset).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// Without the digits of a fraction that are too fine for `jiff`, which refuses them.
fn to_the_nanosecond(text: &str) -> Cow<'_, str> {
    let Some((whole, fraction)) = text.split_once('.') else { return text.into() };
    let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    let (digits, rest) = fraction.split_at(end);
    format!("{whole}.{digits:.9}{rest}").into()
}

/// A time in UTC to the second.
pub fn written(millis: u64) -> String {
    // A token may last beyond the year 9999, where `jiff` ends.
    let (repeated, millis) = (millis / FOUR_CENTURIES, millis % FOUR_CENTURIES);
    let time = BEGIN_OF_1970.saturating_add(Duration::from_millis(millis));
    let year = (repeated * 400).saturating_add_signed(time.year().into());
    format!("{year:04}{}", time.strftime("-%m-%dT%H:%M:%SZ"))
}

/// How long before now a time is, in its largest unit; a time to come is now.
pub fn past(millis: u64, now: u64) -> String {
    let seconds = now.saturating_sub(millis) / SECOND;
    let (count, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{count} {unit} ago")
}

#[cfg(test)]
mod tests;
