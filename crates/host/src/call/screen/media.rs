//! One image, sound or other binary data in a result, as it came.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::value::RawValue;

const UNKNOWN_MIME: &str = "application/octet-stream";

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

pub(super) struct MediaItem {
    /// Base64, as it came.
    pub(super) data: String,
    pub(super) mime: String,
    /// What it is called: the URI of a resource, else its kind.
    pub(super) name: String,
    pub(super) annotations: Option<Box<RawValue>>,
}

impl MediaItem {
    pub(super) fn new(
        data: String,
        mime: Option<String>,
        name: String,
        annotations: Option<Box<RawValue>>,
    ) -> Self {
        let mime = mime.filter(|mime| is_mime(mime)).unwrap_or_else(|| UNKNOWN_MIME.to_owned());
        Self { data, mime, name, annotations }
    }

    /// The bytes; of what is no base64, the characters themselves.
    pub(super) fn bytes(&self) -> (Vec<u8>, &str) {
        let dense: String;
        let data = if self.data.contains(|c: char| c.is_ascii_whitespace()) {
            dense = self.data.split_ascii_whitespace().collect();
            &dense
        } else {
            &self.data
        };
        let decoded = STANDARD.decode(data).or_else(|_| URL_SAFE.decode(data));
        match decoded {
            Ok(bytes) => (bytes, &self.mime),
            Err(_) => (self.data.clone().into_bytes(), "text/plain"),
        }
    }
}

/// A server may write anything there, and it is shown.
fn is_mime(mime: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-._;= ".contains(&byte);
    mime.len() <= 100 && mime.contains('/') && mime.bytes().all(is_usual)
}
