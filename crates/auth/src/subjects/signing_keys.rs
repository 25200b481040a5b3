//! The keys of an issuer (RFC 7517), as far as they can verify a token. Keys of other kinds are passed over,
//! secret ones above all: whoever can read a list could sign with those.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use serde_json::Value;
use toolgate_types::config::SignatureAlgorithm;

use super::access_token::AccessToken;

/// More than any issuer has at a time.
const MOST: usize = 64;

/// All keys that an issuer has now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SigningKeys(Vec<PublishedKey>);

#[derive(Debug, PartialEq, Eq)]
struct PublishedKey {
    id: Option<String>,
    /// Where it is for one algorithm only.
    algorithm: Option<String>,
    public: PublicKey,
}

#[derive(Debug, PartialEq, Eq)]
enum PublicKey {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// As points are written: a four, and both coordinates.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// What came of trying the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyVerdict {
    Signed,
    /// The key that is named is there, and did not sign it.
    NotSigned,
    /// There may be a key that is not known yet.
    NoKey,
}

#[derive(Deserialize)]
struct WrittenKeys {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct WrittenKey {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    r#use: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl SigningKeys {
    /// None where it is no such document.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let written: WrittenKeys = serde_json::from_slice(body).ok()?;
        let keys = written.keys.into_iter().take(MOST);
        Some(Self(
            keys.filter_map(|key| PublishedKey::of(serde_json::from_value(key).ok()?)).collect(),
        ))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them signed this token in this way. A token that names no key may be any one's.
    pub(super) fn verify(
        &self,
        token: &AccessToken<'_>,
        algorithm: SignatureAlgorithm,
    ) -> KeyVerdict {
        let named = token.key_id();
        let mut is_there = false;
        for key in &self.0 {
            if named.is_some() && named != key.id.as_deref() {
                continue;
            }
            let Some(is_signed) = key.verify(token, algorithm) else { continue };
            if is_signed {
                return KeyVerdict::Signed;
            }
            is_there = true;
        }
        match is_there && named.is_some() {
            true => KeyVerdict::NotSigned,
            false => KeyVerdict::NoKey,
        }
    }
}

impl PublishedKey {
    fn of(written: WrittenKey) -> Option<Self> {
        let WrittenKey { kty, kid, alg, r#use, key_ops, crv, n, e, x, y } = written;
        let is_for_signatures = r#use.is_none_or(|usage| usage == "sig")
            && key_ops.is_none_or(|all| all.iter().any(|one| one == "verify"));
        if !is_for_signatures {
            return None;
        }
        let public = match (kty.as_str(), crv.as_deref()) {
            ("RSA", _) => PublicKey::Rsa { modulus: number(n?)?, exponent: number(e?)? },
            ("EC", Some("P-256")) => PublicKey::P256(point(x?, y?, 32)?),
            ("EC", Some("P-384")) => PublicKey::P384(point(x?, y?, 48)?),
            ("OKP", Some("Ed25519")) => PublicKey::Ed25519(decoded(&x?)?),
            _ => return None,
        };
        Some(Self { id: kid, algorithm: alg, public })
    }

    /// None where it is not for this algorithm.
    fn verify(&self, token: &AccessToken<'_>, algorithm: SignatureAlgorithm) -> Option<bool> {
        if self.algorithm.as_ref().is_some_and(|only| only != algorithm.as_str()) {
            return None;
        }
        let plain = |method: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(method, key).verify(token.signed(), token.signature()).is_ok()
        };
        match (&self.public, algorithm) {
            (PublicKey::Rsa { modulus, exponent }, _) => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                let method = rsa_method(algorithm)?;
                Some(key.verify(method, token.signed(), token.signature()).is_ok())
            }
            (PublicKey::P256(point), SignatureAlgorithm::Es256) => {
                Some(plain(&ECDSA_P256_SHA256_FIXED, point))
            }
            (PublicKey::P384(point), SignatureAlgorithm::Es384) => {
                Some(plain(&ECDSA_P384_SHA384_FIXED, point))
            }
            (PublicKey::Ed25519(key), SignatureAlgorithm::EdDsa) => Some(plain(&ED25519, key)),
            _ => None,
        }
    }
}

fn rsa_method(algorithm: SignatureAlgorithm) -> Option<&'static RsaParameters> {
    match algorithm {
        SignatureAlgorithm::Rs256 => Some(&RSA_PKCS1_2048_8192_SHA256),
        SignatureAlgorithm::Rs384 => Some(&RSA_PKCS1_2048_8192_SHA384),
        SignatureAlgorithm::Rs512 => Some(&RSA_PKCS1_2048_8192_SHA512),
        SignatureAlgorithm::Ps256 => Some(&RSA_PSS_2048_8192_SHA256),
        SignatureAlgorithm::Ps384 => Some(&RSA_PSS_2048_8192_SHA384),
        SignatureAlgorithm::Ps512 => Some(&RSA_PSS_2048_8192_SHA512),
        SignatureAlgorithm::Es256 | SignatureAlgorithm::Es384 | SignatureAlgorithm::EdDsa => None,
    }
}

/// A number without zeros in front, which some write and `ring` does not take.
fn number(written: String) -> Option<Vec<u8>> {
    let bytes = decoded(&written)?;
    let first = bytes.iter().position(|byte| *byte != 0)?;
    Some(bytes[first..].to_vec())
}

fn point(x: String, y: String, length: usize) -> Option<Vec<u8>> {
    let (x, y) = (decoded(&x)?, decoded(&y)?);
    (x.len() == length && y.len() == length).then(|| [&[4], x.as_slice(), &y].concat())
}

fn decoded(written: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(written).ok()
}
