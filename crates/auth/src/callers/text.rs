//! The text of a token: a prefix that masks and scanners know, and 256 random bits.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use toolgate_types::{Digest, Secret};
use zeroize::Zeroizing;

use super::TokenError;

const PREFIX: &str = "tgt_";
/// What 32 bytes are in base64 without padding.
const RANDOM: usize = 43;

pub(super) fn random() -> Result<Secret, TokenError> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    getrandom::fill(&mut *bytes)
        .map_err(|error| TokenError::NoRandomness { why: error.to_string() })?;
    // Long enough from the start: a text that grows leaves copies of itself behind.
    let mut text = String::with_capacity(PREFIX.len() + RANDOM);
    text.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_string(*bytes, &mut text);
    Ok(Secret::new(text))
}

/// Whether it says that it is one.
pub(super) fn is_ours(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Whether it can be a token at all; what cannot is not worth a hash, let alone a question.
pub(super) fn is_one(text: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    text.strip_prefix(PREFIX)
        .is_some_and(|random| random.len() == RANDOM && random.bytes().all(is_plain))
}

/// A plain hash will do: nobody goes through 256 random bits, as they would through passwords. By the library that
/// is fast without help from the processor too: every request over HTTP has one.
pub(super) fn hash(text: &str) -> Digest {
    let mut hash = Digest([0; 32]);
    hash.0.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    hash
}

#[cfg(test)]
mod tests;
