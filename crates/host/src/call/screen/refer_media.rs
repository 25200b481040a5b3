//! Images, sound and other binary data that become references: type, size, hash, and where the
//! bytes are kept.
//!
//! A reader that takes media gets them as they came, up to what clients bear. The same data is
//! often there twice, once more as structured content or as text; [`RepeatedMedia`] finds it there.
//! Base64 that is nowhere declared as media is not looked for: the limits for text hold for it.

use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::items::{ItemKind, ResultShape, ScreenedItem, link_item, text_contents, text_item};
use super::keep_artifact::ArtifactKeeper;
use super::media::MediaItem;
use crate::artifact::artifact_uri;

/// The largest single medium that a client is sent: models take no larger image.
const MOST: usize = 5 << 20;

/// Data shorter than this may be anything, and does no harm where it is repeated.
const LEAST_REPEATED: usize = 256;

/// Replaces the media that do not pass.
pub(super) async fn refer(
    items: &mut [ScreenedItem],
    repeats: &mut RepeatedMedia,
    keeper: &ArtifactKeeper<'_>,
    shape: ResultShape,
) {
    let takes_media = keeper.caller.reader.takes_media;
    let bearable = usize::try_from(keeper.host.limits().message_bytes).unwrap_or(usize::MAX);
    let bearable = bearable.min(MOST);
    for (place, item) in items.iter_mut().enumerate() {
        let ItemKind::Media(media) = &item.kind else { continue };
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
        if shape == ResultShape::Resource {
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
pub(super) struct RepeatedMedia {
    replaced: Vec<(String, String)>,
    passed: Vec<(String, String)>,
}

impl RepeatedMedia {
    fn replaced(&mut self, media: &MediaItem, words: String) {
        if media.data.len() >= LEAST_REPEATED {
            self.replaced.push((media.data.clone(), words));
        }
    }

    fn passed(&mut self, media: &MediaItem, place: usize) {
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
