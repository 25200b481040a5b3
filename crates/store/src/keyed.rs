//! A hash that only who has the key can make: HMAC with SHA-256.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use toolgate_types::Digest;

/// Under one key, of whatever it is given, one after the other.
pub struct KeyedHash(Hmac<Sha256>);

impl KeyedHash {
    pub fn new(key: &[u8; 32]) -> Self {
        // A shorter key is filled with zeros, as HMAC itself would do it.
        let mut whole = [0; 64];
        whole[..32].copy_from_slice(key);
        Self(Hmac::new(&whole.into()))
    }

    pub fn with(mut self, bytes: &[u8]) -> Self {
        self.update(bytes);
        self
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into_bytes().into())
    }

    /// Whether it is this; how long that takes says nothing about where they differ.
    pub fn is(self, claimed: &[u8]) -> bool {
        self.0.verify_slice(claimed).is_ok()
    }
}

impl std::fmt::Debug for KeyedHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyedHash(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second case of RFC 4231, with its key filled up to ours.
    #[test]
    fn it_is_the_hash_that_everybody_else_makes() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let hash = || KeyedHash::new(&key).with(b"what do ya want ").with(b"for nothing?");
        let digest = hash().digest();
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(digest.to_hex(), known);
        assert!(hash().is(&digest.0));
        assert!(!hash().is(&digest.0[..31]) && !hash().with(b"!").is(&digest.0));
    }
}
