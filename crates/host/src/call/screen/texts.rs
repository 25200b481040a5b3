//! Texts that are too long together: all of them are kept as one, each shows its beginning in its
//! place, and a note says where the rest is.
//!
//! Short texts stay whole beside a long one. Where there are too many for that, the first are shown
//! and the others are only in what was kept.

use serde_json::value::RawValue;
use toolgate_store::{Artifact, is_text};

use super::items::{ItemKind, ResultShape, ScreenedItem, link_item, text_item};
use super::keep_artifact::ArtifactKeeper;
use super::refer_media::RepeatedMedia;
use crate::artifact::artifact_uri;

/// What is shown of texts that are kept elsewhere: this part of what would have been allowed.
const PREVIEW: usize = 4;

/// A beginning shorter than this tells nothing.
const LEAST_SHOWN: usize = 80;

/// How much a note proposes to read at once.
const LINES: usize = 200;
const BYTES: usize = 32 << 10;

/// All texts of a result as one, and where they are kept.
pub(super) struct KeptText {
    pub(super) text: String,
    pub(super) artifact: Artifact,
}

/// Where the rest is, and by which tool of the caller's it is read.
struct KeptPlace<'a> {
    uri: &'a str,
    tool: Option<String>,
}

fn or_with(tool: Option<&str>) -> String {
    tool.map(|tool| format!(", or with {tool}")).unwrap_or_default()
}

/// Answers with what was kept, where that was too long.
pub(super) async fn cut(
    items: &mut [ScreenedItem],
    repeats: &RepeatedMedia,
    keeper: &ArtifactKeeper<'_>,
    (shape, limit): (ResultShape, usize),
) -> Option<KeptText> {
    take_out_repeats(items, repeats, limit);
    let texts: Vec<_> = items.iter().filter_map(ScreenedItem::text).collect();
    let whole = texts.join("\n");
    let mut kept = None;
    if whole.len() > limit {
        let lengths: Vec<_> = texts.iter().map(|text| text.len()).collect();
        let mime = match &*items.iter().filter_map(ScreenedItem::mime).collect::<Vec<_>>() {
            [mime] if texts.len() == 1 && is_text(mime) => (*mime).to_owned(),
            _ => "text/plain".to_owned(),
        };
        // Where it cannot be kept, it is not cut: it was asked for.
        if let Some(artifact) = keeper.keep(whole.clone().into_bytes(), &mime).await {
            let link = link_item(&artifact, "the whole result", None);
            let link = link.filter(|_| shape == ResultShape::ToolResult);
            match &keeper.kept {
                Some(all) => show_some(items, &lengths, limit, all),
                None => {
                    let uri = artifact_uri(&artifact.id);
                    let place = KeptPlace { uri: &uri, tool: keeper.reading_tool() };
                    show_beginnings(items, &whole, &lengths, limit, &place, link);
                }
            }
            kept = Some(KeptText { text: whole, artifact });
        }
    }
    if shape == ResultShape::ToolResult {
        for item in items.iter_mut().filter(|item| matches!(item.kind, ItemKind::Other)) {
            if item.raw().get().len() > limit {
                item.instead = kept_json(item.raw().get(), "a part of the result", keeper).await;
            }
        }
    }
    kept
}

fn take_out_repeats(items: &mut [ScreenedItem], repeats: &RepeatedMedia, limit: usize) {
    for item in items {
        let Some(shorter) = item.text().and_then(|text| repeats.taken_out(text, limit)) else {
            continue;
        };
        item.instead = item.with_text(&shorter).map(|item| vec![item]);
        if let ItemKind::Text { text, .. } = &mut item.kind {
            *text = shorter;
        }
    }
}

fn show_beginnings(
    items: &mut [ScreenedItem],
    whole: &str,
    lengths: &[usize],
    limit: usize,
    place: &KeptPlace<'_>,
    mut link: Option<Box<RawValue>>,
) {
    let (size, all_lines) = (whole.len(), whole.lines().count());
    let (uri, with) = (place.uri, or_with(place.tool.as_deref()));
    let mut shares = shares(lengths, limit / PREVIEW).into_iter();
    let (mut at, mut line, mut is_noted) = (0, 1, false);
    for item in items {
        let Some(text) = item.text() else { continue };
        let shown = beginning(text, shares.next().unwrap_or_default());
        let next = (at + text.len() + 1, line + text.matches('\n').count() + 1);
        if shown.len() < text.len() {
            let mut instead = Vec::new();
            if !is_noted || !shown.is_empty() {
                let from = match shown.matches('\n').count() {
                    // A single long line: lines would not divide it.
                    0 => format!("bytes={}-{}", at + shown.len(), at + shown.len() + BYTES - 1),
                    shown => format!("lines={}-{}", line + shown, line + shown + LINES - 1),
                };
                let noted = format!(
                    "{shown}\n[cut here: {size} bytes, {all_lines} lines in all, kept at {uri}; \
                     read on at {uri}?{from}{with}]"
                );
                instead.extend(item.with_text(&noted));
                instead.extend(link.take());
                is_noted = true;
            }
            item.instead = Some(instead);
        }
        (at, line) = next;
    }
}

/// The same where these texts are themselves only beginnings, and all of the result is kept elsewhere,
/// which another item says.
fn show_some(items: &mut [ScreenedItem], lengths: &[usize], limit: usize, all: &Artifact) {
    let (uri, size) = (artifact_uri(&all.id), all.size);
    let mut shares = shares(lengths, limit / PREVIEW).into_iter();
    for item in items {
        let Some(text) = item.text() else { continue };
        let shown = beginning(text, shares.next().unwrap_or_default());
        if shown.len() < text.len() {
            let noted = format!(
                "{shown}\n[cut here: the whole result, {size} bytes of JSON, is kept at {uri}]"
            );
            item.instead = Some(item.with_text(&noted).into_iter().collect());
        }
    }
}

/// How much of each text is shown, in all no more than this.
fn shares(lengths: &[usize], all: usize) -> Vec<usize> {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let (mut left, mut most) = (all, usize::MAX);
    for (index, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *length > share {
            most = share;
            break;
        }
        left -= length;
    }
    if most >= LEAST_SHOWN.min(all) {
        return lengths.iter().map(|length| most.min(*length)).collect();
    }
    let mut left = all;
    let share = |length: &usize| {
        let share = left.min(*length);
        left -= share;
        share
    };
    lengths.iter().map(share).collect()
}

/// Items that say where such JSON is, now that it is kept.
pub(super) async fn kept_json(
    json: &str,
    what: &str,
    keeper: &ArtifactKeeper<'_>,
) -> Option<Vec<Box<RawValue>>> {
    let artifact = keeper.keep(json.as_bytes().to_owned(), "application/json").await?;
    referring_items(&artifact, what, keeper)
}

pub(super) fn referring_items(
    artifact: &Artifact,
    what: &str,
    keeper: &ArtifactKeeper<'_>,
) -> Option<Vec<Box<RawValue>>> {
    let (uri, size) = (artifact_uri(&artifact.id), artifact.size);
    let with = or_with(keeper.reading_tool().as_deref());
    let words = format!(
        "[{what}, {size} bytes of JSON, is kept at {uri}; read some of it at {uri}?bytes=0-{}{with}]",
        BYTES - 1
    );
    Some(vec![text_item(&words, None)?, link_item(artifact, what, None)?])
}

/// The first so many bytes, ending with a whole character.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_whole_beside_long_ones() {
        assert_eq!(shares(&[10, 100_000, 20], 1000), [10, 970, 20]);
        assert_eq!(shares(&[5000, 5000], 1000), [500, 500]);
        assert_eq!(shares(&[1, 2], 1000), [1, 2]);
        assert_eq!(shares(&[], 1000), [0; 0]);
    }

    #[test]
    fn of_very_many_texts_the_first_are_shown() {
        let shown = shares(&[100; 1000], 1050);
        assert_eq!(shown[..10], [100; 10]);
        assert_eq!(shown[10..12], [50, 0]);
        assert_eq!(shown.iter().sum::<usize>(), 1050);
    }

    #[test]
    fn a_beginning_ends_with_a_whole_character() {
        assert_eq!(beginning("aéb", 2), "a");
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 9), "aéb");
    }
}
