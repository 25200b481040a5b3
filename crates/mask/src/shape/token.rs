//! Tokens that well-known services and Toolgate itself give out, by their prefix, and signed tokens
//! of three parts.

use std::ops::Range;

use super::end_of_run;

/// A prefix, and how many characters follow at least.
const PREFIXES: [(&str, usize); 25] = [
    ("ghp_", 10),
    ("gho_", 10),
    ("ghu_", 10),
    ("ghs_", 10),
    ("ghr_", 10),
    ("github_pat_", 10),
    ("glpat-", 10),
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("npm_", 30),
    ("hf_", 30),
    ("pypi-", 50),
    ("ya29.", 20),
    // Our own, for callers.
    ("tgt_", 43),
];

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_run(bytes, at, is_of_word);
        if end == at {
            at += 1;
            continue;
        }
        // Prefixes are in lower case or short; the table is searched only where one may begin.
        if b"gsrxAnhpyet".contains(&bytes[at])
            && let Some(token) = token_at(&text[at..])
        {
            found.push(at..at + token);
        }
        at = end;
    }
}

/// The length of the token that a text begins with.
fn token_at(text: &str) -> Option<usize> {
    if text.starts_with("eyJ") {
        return signed(text.as_bytes());
    }
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| text.starts_with(prefix))?;
    let length = end_of_run(text.as_bytes(), prefix.len(), is_of_word) - prefix.len();
    let random = &text[prefix.len()..prefix.len() + length];
    let is_random = random.contains(|c: char| c.is_ascii_digit())
        || random.contains(|c: char| c.is_ascii_uppercase());
    let is_key_id = !matches!(*prefix, "AKIA" | "ASIA")
        || random.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    (length >= *least && is_random && is_key_id).then_some(prefix.len() + length)
}

/// Header, claims and signature, each in base64.
fn signed(text: &[u8]) -> Option<usize> {
    let header = end_of_run(text, 0, is_of_word);
    let claims = end_of_run(text, header + 1, is_of_word);
    let signature = end_of_run(text, claims + 1, is_of_word);
    let has_parts = text.get(header) == Some(&b'.') && text.get(claims) == Some(&b'.');
    (has_parts && claims > header + 1 && signature > claims + 1).then_some(signature)
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
