//! Keys that sign tokens, as well as they should be signed or not.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair as RsaKeyPair, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaEncoding,
};
use serde_json::{Value, json};

/// Made once for all tests: a key takes long to make, and signs nothing else.
const RSA: &[u8] = include_bytes!("rsa.der");

/// A key with a name.
#[derive(Debug)]
pub struct SigningKey {
    id: String,
    pair: IssuerKeyPair,
}

#[derive(Debug)]
enum IssuerKeyPair {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// A new one on the curve P-256.
    pub fn p256(id: &str) -> Self {
        let random = SystemRandom::new();
        let method = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(method, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(method, document.as_ref(), &random).unwrap();
        Self { id: id.to_owned(), pair: IssuerKeyPair::P256(pair) }
    }

    /// A new one on Edwards' curve.
    pub fn ed25519(id: &str) -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        Self { id: id.to_owned(), pair: IssuerKeyPair::Ed25519(pair) }
    }

    /// The same key every time.
    pub fn rsa(id: &str) -> Self {
        Self { id: id.to_owned(), pair: IssuerKeyPair::Rsa(RsaKeyPair::from_der(RSA).unwrap()) }
    }

    /// As an issuer publishes it.
    pub fn jwk(&self) -> Value {
        let mut key = match &self.pair {
            IssuerKeyPair::P256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y)})
            }
            IssuerKeyPair::Ed25519(pair) => {
                let x = encoded(pair.public_key().as_ref());
                json!({"kty": "OKP", "crv": "Ed25519", "x": x})
            }
            IssuerKeyPair::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "n": encoded(&public.n), "e": encoded(&public.e)})
            }
        };
        key["kid"] = self.id.clone().into();
        key["use"] = "sig".into();
        key
    }

    /// An access token with these claims.
    pub fn token(&self, claims: &Value) -> String {
        self.token_with(&self.header(), claims)
    }

    /// The header of an access token.
    pub fn header(&self) -> Value {
        let algorithm = match &self.pair {
            IssuerKeyPair::P256(_) => "ES256",
            IssuerKeyPair::Ed25519(_) => "EdDSA",
            IssuerKeyPair::Rsa(_) => "RS256",
        };
        json!({"typ": "at+jwt", "alg": algorithm, "kid": self.id})
    }

    /// Signed with this key, whatever the header says.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let signed = unsigned(header, claims);
        let bytes = signed.as_bytes();
        let signature = match &self.pair {
            IssuerKeyPair::P256(pair) => {
                pair.sign(&SystemRandom::new(), bytes).unwrap().as_ref().to_vec()
            }
            IssuerKeyPair::Ed25519(pair) => pair.sign(bytes).as_ref().to_vec(),
            IssuerKeyPair::Rsa(pair) => {
                let pss = header["alg"] == "PS256";
                let how: &dyn RsaEncoding = if pss { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(how, &SystemRandom::new(), bytes, &mut signature).unwrap();
                signature
            }
        };
        format!("{signed}.{}", encoded(&signature))
    }

    /// A token that says `alg` of itself and is signed with these bytes as a shared secret.
    pub fn token_by_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
        let signed = unsigned(header, claims);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
        format!("{signed}.{}", encoded(tag.as_ref()))
    }
}

/// Header and claims of a token that nobody signed.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(claims.to_string().as_bytes()))
}

/// Whose a token says it is.
pub(super) fn subject_of(token: &str) -> String {
    let claims = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let claims: Value = serde_json::from_slice(&claims.unwrap_or_default()).unwrap_or_default();
    claims["sub"].as_str().unwrap_or("nobody").to_owned()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
