//! The very bytes of a call that a person was shown. They are what is sent: a caller that comes back may
//! spell the same arguments otherwise, or bring something along that nobody saw.

use std::sync::Arc;

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

/// Everything of a call's parameters that goes to the server, besides the tool's name.
#[derive(Debug, Clone, Default)]
pub struct ShownCall {
    pub arguments: Option<Arc<RawValue>>,
    /// `_meta`, without what the gate itself says there.
    pub also_sent: Option<Box<RawValue>>,
}

impl ShownCall {
    /// The name under which an approval of exactly these bytes, for this subject, is written down.
    pub fn digest(&self, subject: Digest) -> Digest {
        let mut hash =
            Sha256::new().chain_update(b"toolgate approved call 1").chain_update(subject.0);
        for raw in [self.arguments.as_deref(), self.also_sent.as_deref()] {
            let bytes = raw.map_or("", RawValue::get);
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        }
        Digest(hash.finalize().into())
    }
}
