//! Canaries, the ways they are written, and where one is found. Made apart from how they are masked.

use std::collections::HashMap;
use std::path::Path;

/// As much of a canary as tells it. Shorter than most, so that one which was cut is found as well.
const TELLING: usize = 12;

/// What every telling part is found by.
const START: usize = 8;

/// A secret to look for, the same in every run: letters and digits with these signs among them.
pub(super) fn canary(number: u64, signs: &str) -> String {
    let mut state = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    let signs: Vec<char> = signs.chars().collect();
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    };
    let length = 8 + next(4) + if number.is_multiple_of(3) { 0 } else { next(40) };
    let mut letter = |_| match next(6) {
        0 if !signs.is_empty() => signs[next(signs.len())],
        _ => char::from(letters[next(letters.len())]),
    };
    // No space and no sign at either end: ends are trimmed from headers and variables.
    format!("c{}z", (0..length).map(&mut letter).collect::<String>())
}

pub(super) fn percent(text: &str) -> String {
    let escape = |byte: u8| match byte {
        plain if plain.is_ascii_alphanumeric() || b"-._~".contains(&plain) => {
            char::from(plain).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}

pub(super) fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

pub(super) fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

pub(super) fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Bit by bit, as the standard describes it.
pub(super) fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
    while !bits.len().is_multiple_of(6) {
        bits.push('0');
    }
    let digit = |at: usize| usize::from_str_radix(&bits[at..at + 6], 2).unwrap();
    let mut text: String =
        (0..bits.len()).step_by(6).map(|at| char::from(DIGITS[digit(at)])).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// The digits of base64 that the canary alone makes, at each place in a group of three bytes.
fn within_base64(canary: &str) -> Vec<String> {
    let of = |before: &str| {
        let text = base64(&format!("{before}{canary}"));
        let start = (before.len() * 8).div_ceil(6);
        text[start..(before.len() + canary.len()) * 8 / 6].to_owned()
    };
    ["", "-", "--"].into_iter().map(of).collect()
}

fn forms(canary: &str) -> Vec<String> {
    let mut forms = vec![
        canary.to_owned(),
        json(canary),
        percent(canary),
        percent(canary).to_lowercase(),
        html(canary),
        hex(canary),
        hex(canary).to_uppercase(),
    ];
    for digits in within_base64(canary) {
        forms.push(percent(&digits));
        forms.push(digits.replace('+', "-").replace('/', "_"));
        forms.push(digits);
    }
    forms.extend(within_base64(&base64(canary)));
    forms
}

/// Looks for all canaries at once.
pub(super) struct Search {
    /// The rest of each telling part and its canary, by the start.
    by_start: HashMap<[u8; START], Vec<(Vec<u8>, usize)>>,
}

impl Search {
    pub(super) fn new(canaries: &[String]) -> Self {
        let mut by_start: HashMap<_, Vec<_>> = HashMap::new();
        for (number, canary) in canaries.iter().enumerate() {
            for form in forms(canary) {
                let telling = &form.as_bytes()[..form.len().min(TELLING)];
                let (start, rest) = telling.split_first_chunk::<START>().unwrap();
                by_start.entry(*start).or_default().push((rest.to_vec(), number));
            }
        }
        Self { by_start }
    }

    /// The numbers of the canaries in there, each with what stands around it.
    pub(super) fn found(&self, bytes: &[u8]) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (at, window) in bytes.windows(START).enumerate() {
            let here = self.by_start.get(window).into_iter().flatten();
            for (_, number) in here.filter(|(rest, _)| bytes[at + START..].starts_with(rest)) {
                let around = &bytes[at.saturating_sub(60)..bytes.len().min(at + 60)];
                found.push((*number, String::from_utf8_lossy(around).into_owned()));
            }
        }
        found
    }

    /// Every file below a folder, however deep, with its name.
    pub(super) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => files.extend(Self::files(&path)),
                false => files.push((path.display().to_string(), std::fs::read(&path).unwrap())),
            }
        }
        files
    }
}
