//! Texts that are too long together: all of them are kept as one, each shows its beginning in its
//! place, and a note says where the rest is.
//!
//! Short texts stay whole beside a long one. Where there are too many for that, the first are shown
//! and the others are only in what was kept.

use serde_json::value::RawValue;

use super::items::{Item, Kind, Shape, link_item, text_item};
use super::keeping::Keeper;
use super::media::Repeats;
use crate::artifact::{artifact_uri, is_text};

/// What is shown of texts that are kept elsewhere: this part of what would have been allowed.
const PREVIEW: usize = 4;

/// A beginning shorter than this tells nothing.
const LEAST_SHOWN: usize = 80;

/// How much a note proposes to read at once.
const LINES: usize = 200;
const BYTES: usize = 32 << 10;

pub(super) async fn cut(
    items: &mut [Item],
    repeats: &Repeats,
    keeper: &Keeper<'_>,
    (shape, limit): (Shape, usize),
) {
    take_out_repeats(items, repeats, limit);
    let texts: Vec<_> = items.iter().filter_map(Item::text).collect();
    let whole = texts.join("\n");
    if whole.len() > limit {
        let lengths: Vec<_> = texts.iter().map(|text| text.len()).collect();
        let mime = match &*items.iter().filter_map(Item::mime).collect::<Vec<_>>() {
            [mime] if texts.len() == 1 && is_text(mime) => (*mime).to_owned(),
            _ => "text/plain".to_owned(),
        };
        // Where it cannot be kept, it is not cut: it was asked for.
        if let Some(artifact) = keeper.keep(whole.clone().into_bytes(), &mime).await {
            let link = link_item(&artifact, "the whole result", None);
            let link = link.filter(|_| shape == Shape::ToolResult);
            show_beginnings(items, &whole, &lengths, limit, &artifact_uri(&artifact.id), link);
        }
    }
    if shape == Shape::ToolResult {
        for item in items.iter_mut().filter(|item| matches!(item.kind, Kind::Other)) {
            if item.raw().get().len() > limit {
                item.instead = kept_json(item.raw().get(), "a part of the result", keeper).await;
            }
        }
    }
}

fn take_out_repeats(items: &mut [Item], repeats: &Repeats, limit: usize) {
    for item in items {
        let Some(shorter) = item.text().and_then(|text| repeats.taken_out(text, limit)) else {
            continue;
        };
        item.instead = item.with_text(&shorter).map(|item| vec![item]);
        if let Kind::Text { text, .. } = &mut item.kind {
            *text = shorter;
        }
    }
}

fn show_beginnings(
    items: &mut [Item],
    whole: &str,
    lengths: &[usize],
    limit: usize,
    uri: &str,
    mut link: Option<Box<RawValue>>,
) {
    let (size, all_lines) = (whole.len(), whole.lines().count());
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
                     read on at {uri}?{from}]"
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

/// Structured content that fits: smaller, or as an item that says where it is. Nothing if it may
/// pass as it is.
pub(super) async fn fit_json(
    structured: &RawValue,
    items: &[Item],
    repeats: &Repeats,
    keeper: &Keeper<'_>,
    limit: usize,
) -> Option<Result<Box<RawValue>, Item>> {
    let smaller = repeats.taken_out(structured.get(), limit);
    let json = smaller.as_deref().unwrap_or(structured.get());
    if json.len() > limit {
        // The same as the text, which was kept.
        let is_text = |item: &Item| item.text().is_some_and(|text| text.trim() == json);
        let reference = if items.iter().any(|item| is_text(item) && item.instead.is_some()) {
            Some(Vec::new())
        } else {
            kept_json(json, "the structured content", keeper).await
        };
        if let Some(reference) = reference {
            return Some(Err(Item::added(reference)));
        }
    }
    Some(Ok(RawValue::from_string(smaller?).ok()?))
}

async fn kept_json(json: &str, what: &str, keeper: &Keeper<'_>) -> Option<Vec<Box<RawValue>>> {
    let artifact = keeper.keep(json.as_bytes().to_owned(), "application/json").await?;
    let (uri, size) = (artifact_uri(&artifact.id), artifact.size);
    let words = format!(
        "[{what}, {size} bytes of JSON, is kept at {uri}; read some of it at {uri}?bytes=0-{}]",
        BYTES - 1
    );
    Some(vec![text_item(&words, None)?, link_item(&artifact, what, None)?])
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
