//! Content taken apart as far as it may be cut, and written again with texts and lists that end
//! earlier. What may not be cut is not looked into.

use serde_json::value::RawValue;
use toolgate_types::CutMark;

use super::places::SchemaPlace;
use crate::members;

/// Content is not followed deeper than this.
const DEEPEST: usize = 64;

/// How much is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CutSize {
    /// Of a list.
    pub(super) items: usize,
    /// Of a text, in bytes.
    pub(super) text: usize,
}

/// Where what was cut is found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutReference<'a> {
    /// The address of the whole content.
    pub(crate) content: &'a str,
    /// A text that is kept by itself, and its address: lines of it can be asked for.
    pub(crate) text: Option<(&'a str, &'a str)>,
}

/// Content, or a part of it.
pub(super) enum ContentShape<'a> {
    Whole(&'a RawValue),
    Text(CutText<'a>),
    Object(Vec<(&'a RawValue, ContentShape<'a>)>),
    List(Vec<ContentShape<'a>>, ListBounds),
}

/// A text that may be cut.
pub(super) struct CutText<'a> {
    raw: &'a RawValue,
    text: String,
    /// In characters, as schemas count.
    least: usize,
    most: usize,
}

pub(super) struct ListBounds {
    may_cut: bool,
    least: usize,
}

impl<'a> ContentShape<'a> {
    /// Nothing if one key is there twice: written anew it would mean something else to somebody.
    pub(super) fn of(raw: &'a RawValue, place: &SchemaPlace<'_>) -> Option<Self> {
        Self::at(raw, place, 0)
    }

    fn at(raw: &'a RawValue, place: &SchemaPlace<'_>, depth: usize) -> Option<Self> {
        if depth > DEEPEST || place.is_exact() {
            return Some(Self::Whole(raw));
        }
        match raw.get().as_bytes().first() {
            Some(b'"') if place.may_cut_text() => {
                // A text that is no Unicode cannot be shown shorter.
                let Ok(text) = serde_json::from_str(raw.get()) else {
                    return Some(Self::Whole(raw));
                };
                let (least, most) = (place.largest("minLength"), place.smallest("maxLength"));
                Some(Self::Text(CutText { raw, text, least, most }))
            }
            Some(b'{') => {
                let (mut found, mut names) = (Vec::new(), std::collections::HashSet::new());
                let mut is_plain = true;
                members::each(raw, |spelled, name, value| {
                    is_plain &= names.insert(name.to_owned());
                    found.push((spelled, name.to_owned(), value));
                })?;
                if !is_plain {
                    return None;
                }
                let member = |(spelled, name, value): (&'a RawValue, String, &'a RawValue)| {
                    Some((spelled, Self::at(value, &place.member(&name), depth + 1)?))
                };
                Some(Self::Object(found.into_iter().map(member).collect::<Option<_>>()?))
            }
            Some(b'[') => {
                let items: Vec<&'a RawValue> = serde_json::from_str(raw.get()).ok()?;
                let item = place.item();
                let items: Option<Vec<_>> =
                    items.into_iter().map(|raw| Self::at(raw, &item, depth + 1)).collect();
                let bounds =
                    ListBounds { may_cut: place.may_cut_list(), least: place.largest("minItems") };
                Some(Self::List(items?, bounds))
            }
            _ => Some(Self::Whole(raw)),
        }
    }

    /// Whether this mark stands nowhere but in texts that may be cut.
    pub(super) fn has_only_in_texts(&self, mark: &CutMark) -> bool {
        match self {
            Self::Whole(raw) => !mark.is_in(raw.get()),
            Self::Text(_) => true,
            Self::Object(members) => members
                .iter()
                .all(|(name, value)| !mark.is_in(name.get()) && value.has_only_in_texts(mark)),
            Self::List(items, _) => items.iter().all(|item| item.has_only_in_texts(mark)),
        }
    }

    pub(super) fn longest_list(&self) -> usize {
        match self {
            Self::Whole(_) | Self::Text(_) => 0,
            Self::Object(members) => longest(members.iter().map(|(_, value)| value)),
            Self::List(items, _) => items.len().max(longest(items.iter())),
        }
    }

    pub(super) fn written(&self, size: CutSize, kept: &CutReference<'_>) -> String {
        let mut out = String::new();
        self.write(&mut out, size, kept, None);
        out
    }

    /// With a mark in the first text, if one is given.
    fn write(
        &self,
        out: &mut String,
        size: CutSize,
        kept: &CutReference<'_>,
        mut mark: Option<&str>,
    ) {
        match self {
            Self::Whole(raw) => out.push_str(raw.get()),
            Self::Text(text) => match (text.cut(size.text, kept), mark) {
                (_, Some(mark)) => push_json(out, &text.marked(size.text, mark)),
                (Some(cut), None) => push_json(out, &cut),
                (None, None) => out.push_str(text.raw.get()),
            },
            Self::Object(members) => {
                out.push('{');
                for (place, (name, value)) in members.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    out.push_str(name.get());
                    out.push(':');
                    let mine = mark.filter(|mark| value.can_carry(mark));
                    value.write(out, size, kept, mine);
                    mark = mark.filter(|_| mine.is_none());
                }
                out.push('}');
            }
            Self::List(items, bounds) => {
                out.push('[');
                let cut = bounds.cut(items, size.items, kept);
                let shown = cut.as_ref().map_or(items.len(), |(shown, ..)| *shown);
                for (place, item) in items.iter().take(shown).enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    let mine = mark.filter(|mark| item.can_carry(mark));
                    item.write(out, size, kept, mine);
                    mark = mark.filter(|_| mine.is_none());
                }
                if let Some((shown, carrier, words)) = cut {
                    out.push_str(if shown == 0 { "" } else { "," });
                    match carrier {
                        Self::Text(_) => push_json(out, &words),
                        carrier => carrier.write(out, size, kept, Some(&words)),
                    }
                }
                out.push(']');
            }
        }
    }

    /// Whether there is a text in it that may be this mark, or end with it.
    fn can_carry(&self, mark: &str) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Text(text) => text.can_carry(mark),
            Self::Object(members) => members.iter().any(|(_, value)| value.can_carry(mark)),
            Self::List(items, _) => items.iter().any(|item| item.can_carry(mark)),
        }
    }

    pub(super) fn cuts_more_than_text(&self, size: CutSize, kept: &CutReference<'_>) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Text(text) => {
                let is_kept = kept.text.is_some_and(|(whole, _)| whole == text.text);
                !is_kept && text.cut(size.text, kept).is_some()
            }
            Self::Object(members) => {
                members.iter().any(|(_, value)| value.cuts_more_than_text(size, kept))
            }
            Self::List(items, bounds) => {
                bounds.cut(items, size.items, kept).is_some()
                    || items.iter().any(|item| item.cuts_more_than_text(size, kept))
            }
        }
    }
}

impl ListBounds {
    /// How many items are shown, then the one that carries the words about the others.
    fn cut<'s, 'a>(
        &self,
        items: &'s [ContentShape<'a>],
        shown: usize,
        kept: &CutReference<'_>,
    ) -> Option<(usize, &'s ContentShape<'a>, String)> {
        let shown = shown.max(self.least.saturating_sub(1));
        // One more carries the mark.
        if !self.may_cut || items.len() <= shown.saturating_add(1) {
            return None;
        }
        let (all, uri) = (items.len(), kept.content);
        let words = |more: usize| {
            format!("[cut here: {more} more of {all} items; the whole content is kept at {uri}]")
        };
        let longest = words(all);
        let carrier = items[shown..].iter().find(|item| item.can_carry(&longest))?;
        // A text is the mark and nothing else, another item is shown with it.
        let is_text = matches!(carrier, ContentShape::Text(_));
        Some((shown, carrier, words(all - shown - usize::from(!is_text))))
    }
}

impl CutText<'_> {
    /// Its beginning with a mark, if that is shorter than it and may stand in its place.
    fn cut(&self, bytes: usize, kept: &CutReference<'_>) -> Option<String> {
        if self.text.len() <= bytes {
            return None;
        }
        let size = self.text.len();
        let shown = beginning(&self.text, bytes);
        let mark = match kept.text.filter(|(whole, _)| *whole == self.text) {
            Some((_, uri)) => format!(
                "\n[cut here: {size} bytes in all, kept at {uri}; read on at {uri}?bytes={}-{}]",
                shown.len(),
                shown.len() + (32 << 10) - 1
            ),
            None => {
                let uri = kept.content;
                format!("\n[cut here: {size} bytes in all; the whole content is kept at {uri}]")
            }
        };
        let cut = self.joined(shown, &mark);
        (cut.len() < size && cut.chars().count() <= self.most).then_some(cut)
    }

    /// As long as the schema wants it at least.
    fn joined(&self, shown: &str, mark: &str) -> String {
        let has = shown.chars().count() + mark.chars().count();
        let missing = self.least.saturating_sub(has);
        let longer: usize =
            self.text[shown.len()..].chars().take(missing).map(char::len_utf8).sum();
        format!("{}{mark}", &self.text[..shown.len() + longer])
    }

    /// With a mark about others than itself.
    fn marked(&self, bytes: usize, mark: &str) -> String {
        let most = self.most.saturating_sub(mark.chars().count() + 1);
        let shown: String = beginning(&self.text, bytes).chars().take(most).collect();
        let gap = if shown.is_empty() { "" } else { " " };
        format!("{shown}{gap}{mark}")
    }

    /// Alone or after a beginning of its own.
    fn can_carry(&self, mark: &str) -> bool {
        (self.least..self.most).contains(&mark.chars().count())
    }
}

fn longest<'s, 'a: 's>(parts: impl Iterator<Item = &'s ContentShape<'a>>) -> usize {
    parts.map(ContentShape::longest_list).max().unwrap_or(0)
}

/// The first so many bytes, ending with a whole character.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn push_json(out: &mut String, text: &str) {
    // Any text can be written as JSON.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
