//! A prompt as it is shown, whole, with the name that an answer to it carries.

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

/// The whole of what a person is shown of a call. Whoever approves says what they were shown by its
/// [`Self::digest`]; what was cut on the way to them has another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRendering {
    text: String,
    /// How many values are covered by a mark that names them.
    covered: usize,
}

impl ApprovalRendering {
    /// A text that covers nothing.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text.into(), 0)
    }

    pub(super) fn new(text: String, covered: usize) -> Self {
        Self { text, covered }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn covered(&self) -> usize {
        self.covered
    }

    pub fn digest(&self) -> Digest {
        Self::digest_of(&self.text)
    }

    /// A short name of a text that was shown, for people to type.
    pub fn seen_code(text: &str) -> String {
        let mut code = Self::digest_of(text).to_hex();
        code.truncate(8);
        code
    }

    /// The name of a text that was shown.
    pub fn digest_of(text: &str) -> Digest {
        let hash = Sha256::new().chain_update(b"toolgate rendering 1\n").chain_update(text);
        Digest(hash.finalize().into())
    }
}
