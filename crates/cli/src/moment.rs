//! Times as people write them: RFC 3339 in and out, and how long ago.
//!
//! Only what the log of calls needs: years 1970 to 9999, no leap seconds, and UTC when written.

use std::time::SystemTime;

use toolgate_types::since_1970;

const SECOND: u64 = 1_000;
const DAY: u64 = 86_400 * SECOND;
/// The days from the first of March of year 0 to the first of January 1970.
const TO_1970: i64 = 719_468;

/// From when on: a time, or so long before now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// In milliseconds since 1970.
    At(u64),
    Ago(u64),
}

impl Since {
    /// `45s`, `30m`, `2h`, `3d`, `1w`, or a time as RFC 3339 writes it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        ago(text).map(Self::Ago).or_else(|| at(text).map(Self::At)).ok_or_else(|| {
            "write how long ago, as in 2h or 3d, or a time, as in 2026-01-31T12:00:00Z".to_owned()
        })
    }

    /// In milliseconds since 1970.
    pub(crate) fn as_millis(self) -> u64 {
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
    let fixed = |from: usize, to: usize| text.get(from..to).and_then(number);
    let marks = [(4, '-'), (7, '-'), (13, ':'), (16, ':')];
    let is_marked =
        |(place, mark): (usize, char)| text.get(place..)?.starts_with(mark).then_some(());
    marks.into_iter().try_for_each(is_marked)?;
    text.get(10..)?.starts_with(['T', 't', ' ']).then_some(())?;
    let (year, month, day) = (fixed(0, 4)?, fixed(5, 7)?, fixed(8, 10)?);
    let (hour, minute, second) = (fixed(11, 13)?, fixed(14, 16)?, fixed(17, 19)?);
    let days = days_of(year, month, day)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, offset) = split_fraction(text.get(19..)?)?;
    let seconds = i64::try_from((hour * 60 + minute) * 60 + second).ok()?;
    let millis = days * 86_400_000 + (seconds - offset_of(offset)?) * 1_000;
    u64::try_from(millis + i64::try_from(fraction).ok()?).ok()
}

/// The milliseconds of a fraction, and what is written after it.
fn split_fraction(text: &str) -> Option<(u64, &str)> {
    let Some(digits) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let first: String = digits.chars().chain("000".chars()).take(3).collect();
    (!digits.is_empty()).then_some(())?;
    Some((number(&first)?, rest))
}

/// `Z` or `+hh:mm`, in seconds.
fn offset_of(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text[1..].split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let is_real = text.len() == 6 && hours < 24 && minutes < 60;
    is_real
        .then(|| i64::try_from(hours * 3_600 + minutes * 60).ok())
        .flatten()
        .map(|all| sign * all)
}

/// The days since 1970 of a date that exists.
fn days_of(year: u64, month: u64, day: u64) -> Option<i64> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let longest = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7..=8 | 10 | 12 => 31,
        _ => return None,
    };
    (1..=longest).contains(&day).then_some(())?;
    // A year that begins in March has its odd day at the end.
    let (year, month) =
        if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some(i64::try_from(days).ok()? - TO_1970)
}

/// A time in UTC to the second.
pub(crate) fn written(millis: u64) -> String {
    let (days, seconds) = (millis / DAY, millis % DAY / SECOND);
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// How long before now a time is, in its largest unit; a time to come is now.
pub(crate) fn past(millis: u64, now: u64) -> String {
    let seconds = now.saturating_sub(millis) / SECOND;
    let (count, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{count} {unit} ago")
}

/// Year, month and day of a number of days since 1970; the way back from [`days_of`].
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(TO_1970.unsigned_abs());
    // The calendar repeats every 400 years, which are 146,097 days.
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests;
