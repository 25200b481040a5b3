//! A hash that only who has the key can make: HMAC with SHA-256.

use ring::hmac::{Context, HMAC_SHA256, Key};
use toolgate_types::Digest;

/// A key that is made ready once for many hashes.
#[derive(Clone)]
pub struct HashKey(Key);

impl HashKey {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(Key::new(HMAC_SHA256, key))
    }

    pub fn begin(&self) -> KeyedHash {
        KeyedHash(Context::with_key(&self.0))
    }
}

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey(***)")
    }
}

/// Under one key, of whatever it is given, one after the other.
pub struct KeyedHash(Context);

impl KeyedHash {
    pub fn new(key: &[u8; 32]) -> Self {
        HashKey::new(key).begin()
    }

    pub fn with(mut self, bytes: &[u8]) -> Self {
        self.update(bytes);
        self
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn digest(self) -> Digest {
        let mut digest = Digest([0; 32]);
        digest.0.copy_from_slice(self.0.sign().as_ref());
        digest
    }

    /// Whether it is this; how long that takes says nothing about where they differ.
    pub fn is(self, claimed: &[u8]) -> bool {
        let digest = self.digest().0;
        let differences = digest.iter().zip(claimed).fold(0, |seen, (one, other)| {
            // Nothing may be left out because the answer is known already.
            std::hint::black_box(seen | (one ^ other))
        });
        claimed.len() == digest.len() && differences == 0
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
