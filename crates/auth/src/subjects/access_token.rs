//! The text of a signed token, taken apart. Nothing in it is believed yet.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;
use toolgate_types::config::SignatureAlgorithm;

use super::SubjectRefusal;

/// A JWT in its compact form.
#[derive(Debug)]
pub(super) struct AccessToken<'t> {
    header: WrittenHeader,
    claims: Vec<u8>,
    signature: Vec<u8>,
    /// What the signature is of.
    signed: &'t str,
}

/// A member that stands twice is an error of the reader's.
#[derive(Debug, Deserialize)]
struct WrittenHeader {
    alg: String,
    typ: Option<String>,
    kid: Option<String>,
    crit: Option<Value>,
}

impl<'t> AccessToken<'t> {
    /// None where it is no JWT at all: three parts, the first of them a header in JSON.
    pub(super) fn parse(text: &'t str) -> Result<Option<Self>, SubjectRefusal> {
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Ok(None);
        };
        let Some(header_json) = decoded(header).filter(|bytes| bytes.starts_with(b"{")) else {
            return Ok(None);
        };
        let header_json: WrittenHeader =
            serde_json::from_slice(&header_json).map_err(|_| SubjectRefusal::Malformed)?;
        let claims_json = decoded(claims).ok_or(SubjectRefusal::Malformed)?;
        let signature = decoded(signature).ok_or(SubjectRefusal::Malformed)?;
        let signed = &text[..header.len() + 1 + claims.len()];
        Ok(Some(Self { header: header_json, claims: claims_json, signature, signed }))
    }

    /// How it is signed, where it is an access token and that is one of these ways.
    pub(super) fn algorithm(
        &self,
        taken: &[SignatureAlgorithm],
    ) -> Result<SignatureAlgorithm, SubjectRefusal> {
        if self.header.crit.is_some() {
            return Err(SubjectRefusal::Critical);
        }
        let kind = self.header.typ.as_deref().unwrap_or_default().to_ascii_lowercase();
        if kind.strip_prefix("application/").unwrap_or(&kind) != "at+jwt" {
            return Err(SubjectRefusal::NotAnAccessToken);
        }
        let algorithm = SignatureAlgorithm::parse(&self.header.alg);
        algorithm.filter(|one| taken.contains(one)).ok_or(SubjectRefusal::Algorithm)
    }

    /// The name of the key that it is signed with, where it has one.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.kid.as_deref()
    }

    pub(super) fn claims(&self) -> &[u8] {
        &self.claims
    }

    pub(super) fn signed(&self) -> &[u8] {
        self.signed.as_bytes()
    }

    pub(super) fn signature(&self) -> &[u8] {
        &self.signature
    }
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}
