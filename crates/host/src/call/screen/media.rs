//! Images, sound and other binary data that become references: type, size, hash, and where the
//! bytes are kept.
//!
//! A reader that takes media gets them as they came, up to what clients bear. The same data is
//! often there twice, once more as structured content or as text; [`Repeats`] finds it there.
//! Base64 that is nowhere declared as media is not looked for: the limits for text hold for it.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::items::{Item, Kind, Shape, link_item, text_contents, text_item};
use super::keeping::Keeper;
use crate::artifact::artifact_uri;

/// The largest single medium that a client is sent: models take no larger image.
const MOST: usize = 5 << 20;

/// Data shorter than this may be anything, and does no harm where it is repeated.
const LEAST_REPEATED: usize = 256;

const UNKNOWN_MIME: &str = "application/octet-stream";

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

pub(super) struct Media {
    /// Base64, as it came.
    data: String,
    mime: String,
    /// What it is called: the URI of a resource, else its kind.
    name: String,
    annotations: Option<Box<RawValue>>,
}

impl Media {
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
    fn bytes(&self) -> (Vec<u8>, &str) {
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

/// Replaces the media that do not pass.
pub(super) async fn refer(
    items: &mut [Item],
    repeats: &mut Repeats,
    keeper: &Keeper<'_>,
    shape: Shape,
) {
    let takes_media = keeper.caller.reader.takes_media;
    let bearable = usize::try_from(keeper.host.limits().message_bytes).unwrap_or(usize::MAX);
    let bearable = bearable.min(MOST);
    for (place, item) in items.iter_mut().enumerate() {
        let Kind::Media(media) = &item.kind else { continue };
        if takes_media && media.data.len() / 4 * 3 <= bearable {
            repeats.passed(media, place);
            continue;
        }
        let (bytes, mime) = media.bytes();
        let size = bytes.len();
        let digest = Digest(Sha256::digest(&bytes).into());
        let artifact = keeper.keep(bytes, mime).await;
        if takes_media && artifact.is_none() {
            continue;
        }
        let at = artifact.as_ref().map(|artifact| artifact_uri(&artifact.id));
        let at = at.map_or(String::new(), |uri| format!(", kept at {uri}"));
        let words = format!("[{mime}, {size} bytes, SHA-256 {}{at}]", digest.to_hex());
        let annotations = media.annotations.as_deref();
        let mut shown = Vec::with_capacity(2);
        if shape == Shape::Resource {
            shown.extend(text_contents(&words, &media.name));
        } else {
            shown.extend(text_item(&words, annotations));
            let link = artifact.and_then(|kept| link_item(&kept, &media.name, annotations));
            shown.extend(link);
        }
        repeats.replaced(media, words);
        item.instead = Some(shown);
    }
}

/// Data that may be there once more, and what is written in its place.
#[derive(Default)]
pub(super) struct Repeats {
    replaced: Vec<(String, String)>,
    passed: Vec<(String, String)>,
}

impl Repeats {
    fn replaced(&mut self, media: &Media, words: String) {
        if media.data.len() >= LEAST_REPEATED {
            self.replaced.push((media.data.clone(), words));
        }
    }

    fn passed(&mut self, media: &Media, place: usize) {
        if media.data.len() >= LEAST_REPEATED {
            let words = format!("[{}, the same as content item {place}]", media.mime);
            self.passed.push((media.data.clone(), words));
        }
    }

    /// The text without data that was replaced elsewhere; and, if it is too long, without data that
    /// passes elsewhere. Nothing if there is none. The words need no escape in JSON.
    pub(super) fn taken_out(&self, text: &str, limit: usize) -> Option<String> {
        let mut changed = None;
        replace(&self.replaced, text, &mut changed);
        if changed.as_deref().unwrap_or(text).len() > limit {
            replace(&self.passed, text, &mut changed);
        }
        changed
    }
}

fn replace(all: &[(String, String)], text: &str, changed: &mut Option<String>) {
    for (data, words) in all {
        // Some write every slash in JSON with a backslash.
        for data in [data.clone(), data.replace('/', "\\/")] {
            let now = changed.as_deref().unwrap_or(text);
            if now.contains(&data) {
                *changed = Some(now.replace(&data, words));
            }
        }
    }
}
