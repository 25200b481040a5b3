//! The hash by which records know a tool's definition.

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

/// Of its bytes, as the server sent them.
pub fn definition_digest(definition: &RawValue) -> Digest {
    Digest(Sha256::digest(definition.get()).into())
}
