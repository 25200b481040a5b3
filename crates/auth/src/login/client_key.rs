//! A client that proves itself with a private key (`private_key_jwt`, RFC 7523): what it signs is good for
//! one request, a minute long, at one authorization server.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::json;
use toolgate_types::{ConfigText, Secret};
use zeroize::Zeroizing;

use super::LoginError;

/// How long what it signs counts.
const LASTS_SECONDS: u64 = 60;

/// No key is longer.
const LONGEST: u64 = 64 << 10;

const BEGINS: &str = "-----BEGIN";

/// A client's private key.
pub(super) struct ClientKey {
    pair: ClientKeyPair,
    random: SystemRandom,
}

enum ClientKeyPair {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl ClientKey {
    /// From what is configured: the key itself, or the path of a file that holds it.
    pub(super) fn of(configured: &ConfigText) -> Result<Self, LoginError> {
        let text = configured.expose().trim();
        if text.starts_with(BEGINS) {
            return Self::parse(text);
        }
        Self::parse(read(Path::new(text))?.expose())
    }

    fn parse(pem: &str) -> Result<Self, LoginError> {
        let der = der_of(pem).ok_or_else(|| bad("is no private key in PEM"))?;
        let random = SystemRandom::new();
        let ec = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random);
        let pair = match ec {
            Ok(pair) => ClientKeyPair::Ec(pair),
            Err(_) => {
                let rsa = RsaKeyPair::from_pkcs8(&der).or_else(|_| RsaKeyPair::from_der(&der));
                ClientKeyPair::Rsa(
                    rsa.map_err(|_| bad("is neither a key for ES256 nor for RS256"))?,
                )
            }
        };
        Ok(Self { pair, random })
    }

    /// Says that this client asks, to this audience alone and for a moment.
    pub(super) fn assertion(
        &self,
        client: &str,
        audience: &str,
        now_ms: u64,
    ) -> Result<Secret, LoginError> {
        let mut id = [0_u8; 16];
        getrandom::fill(&mut id).map_err(|error| LoginError::NoRandomness(error.to_string()))?;
        let now = now_ms / 1000;
        let header = json!({ "alg": self.algorithm(), "typ": "JWT" });
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "jti": URL_SAFE_NO_PAD.encode(id),
            "iat": now, "exp": now + LASTS_SECONDS,
        });
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let said = format!("{}.{}", part(header), part(claims));
        let unsigned = |_| bad("cannot sign");
        let signature = match &self.pair {
            ClientKeyPair::Ec(pair) => {
                let signature = pair.sign(&self.random, said.as_bytes()).map_err(unsigned)?;
                URL_SAFE_NO_PAD.encode(signature)
            }
            ClientKeyPair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding = &RSA_PKCS1_SHA256;
                pair.sign(padding, &self.random, said.as_bytes(), &mut signature)
                    .map_err(unsigned)?;
                URL_SAFE_NO_PAD.encode(signature)
            }
        };
        Ok(Secret::new(format!("{said}.{signature}")))
    }

    fn algorithm(&self) -> &'static str {
        match self.pair {
            ClientKeyPair::Ec(_) => "ES256",
            ClientKeyPair::Rsa(_) => "RS256",
        }
    }
}

impl std::fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientKey").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

/// A file for its owner alone.
fn read(path: &Path) -> Result<Secret, LoginError> {
    if !path.is_absolute() {
        return Err(bad("is neither a key nor the whole path of a file"));
    }
    let found = fs::metadata(path).map_err(|error| bad(&format!("cannot be read: {error}")))?;
    if !found.is_file() || found.len() > LONGEST {
        return Err(bad("is no file that holds a key"));
    }
    if found.permissions().mode() & 0o077 != 0 {
        return Err(bad("is a file that others can read: chmod 600 it"));
    }
    let text = fs::read_to_string(path);
    text.map(Secret::new).map_err(|error| bad(&format!("cannot be read: {error}")))
}

fn der_of(pem: &str) -> Option<Zeroizing<Vec<u8>>> {
    let (_, rest) = pem.split_once("PRIVATE KEY-----")?;
    let (body, _) = rest.split_once("-----END")?;
    let body: Zeroizing<String> = Zeroizing::new(body.split_whitespace().collect());
    STANDARD.decode(body.as_bytes()).ok().map(Zeroizing::new)
}

fn bad(what: &str) -> LoginError {
    LoginError::BadClientKey(what.to_owned())
}

#[cfg(test)]
mod tests;
