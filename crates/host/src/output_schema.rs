//! What a tool promises of its structured content, and that content made shorter within the promise.
//!
//! Clients refuse a result that does not keep it, so a cut is made only where the schema leaves room
//! for it and shows: a text ends with a mark, a list's last item carries one. What comes out is
//! checked against the schema, and so is what went in: of content that never fitted nobody can say
//! what a cut would do to it. As with arguments, what is parsed is a copy to look at; everything that
//! is not cut stays the bytes it came as.

mod places;
mod shape;

use serde_json::Value;
use serde_json::value::RawValue;

use toolgate_types::{CutMark, visible};

use crate::arguments::CompiledSchema;
use crate::members::members;
use places::SchemaPlace;
pub(crate) use shape::CutReference;
use shape::{ContentShape, CutSize};

/// Texts of which less than this is left tell nothing.
const LEAST_SHOWN: usize = 80;

/// What one text may have of all that is allowed.
const TEXT_SHARE: usize = 4;

/// A tool's `outputSchema`.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    compiled: CompiledSchema,
    schema: Value,
}

impl OutputSchema {
    /// The one in a definition, as far as it was given to callers at all.
    pub(crate) fn raw(definition: &RawValue) -> Option<&RawValue> {
        let [schema] = members(definition, ["outputSchema"])?;
        schema.filter(|schema| schema.get() != "null")
    }

    /// `None` for what is out of bounds: nothing is cut by a schema that is not understood.
    pub(crate) fn new(raw: &RawValue, max_bytes: usize) -> Option<Self> {
        let raw = Some(raw).filter(|raw| raw.get().len() <= max_bytes)?;
        let schema = serde_json::from_str(raw.get()).ok()?;
        Some(Self { compiled: CompiledSchema::new(raw)?, schema })
    }

    /// Why this is surely not what was promised, in the end of a sentence.
    pub(crate) fn broken_by(&self, content: Option<&RawValue>) -> Option<String> {
        let Some(content) = content else { return Some("there is no structured content".into()) };
        let place = self.compiled.misfit(content.get())?;
        Some(match place.is_empty() {
            true => "the structured content does not fit it".to_owned(),
            false => format!("the structured content does not fit it at `{}`", visible(&place)),
        })
    }

    /// Whether this is surely what was promised.
    pub(crate) fn is_kept(&self, content: &str) -> bool {
        self.compiled.is_surely_met(content)
    }

    /// Whether every text of content that ends with this mark is one that may be cut. Nothing else can
    /// be said of content that was cut before anybody held it.
    pub(crate) fn may_be_cut(&self, content: &RawValue, mark: &CutMark) -> bool {
        let shape = ContentShape::of(content, &SchemaPlace::root(&self.schema));
        shape.is_some_and(|shape| shape.has_only_in_texts(mark))
    }

    /// How content can be made to have no more than so many bytes, or else much fewer than it has.
    /// Nothing if it cannot.
    pub(crate) fn shortening<'a>(
        &self,
        content: &'a RawValue,
        limit: usize,
        kept: &CutReference<'_>,
    ) -> Option<Shortening<'a>> {
        if !self.is_kept(content.get()) {
            return None;
        }
        let place = SchemaPlace::root(&self.schema);
        let shape = ContentShape::of(content, &place)?;
        let mut best: Option<(CutSize, usize)> = None;
        let mut items = shape.longest_list();
        loop {
            let cut = |text| CutSize { items, text };
            let fitting = |size: &CutSize| shape.written(*size, kept).len() <= limit;
            let least = cut(LEAST_SHOWN);
            let bytes = shape.written(least, kept).len();
            if bytes <= limit {
                let tried = [TEXT_SHARE, TEXT_SHARE * 4, TEXT_SHARE * 16].map(|of| cut(limit / of));
                best = Some((tried.into_iter().find(fitting).unwrap_or(least), bytes));
                break;
            }
            if best.is_none_or(|(_, known)| bytes < known) {
                best = Some((least, bytes));
            }
            if items <= 1 {
                break;
            }
            items /= 4;
        }
        let (size, bytes) = best?;
        let is_worth_it = bytes <= limit || bytes <= content.get().len() / 2;
        let shortening = Shortening { shape, size };
        let is_kept = || self.is_kept(&shortening.written(kept));
        (is_worth_it && is_kept()).then_some(shortening)
    }
}

/// A way to make content shorter that keeps its schema.
pub(crate) struct Shortening<'a> {
    shape: ContentShape<'a>,
    size: CutSize,
}

impl Shortening<'_> {
    /// The shorter content. A reference as long as the one it was tried with changes nothing of what
    /// was found out about it.
    pub(crate) fn written(&self, kept: &CutReference<'_>) -> String {
        self.shape.written(self.size, kept)
    }

    /// Whether something is cut that is not in the text that is kept already.
    pub(crate) fn cuts_more_than_text(&self, kept: &CutReference<'_>) -> bool {
        self.shape.cuts_more_than_text(self.size, kept)
    }
}

#[cfg(test)]
mod tests;
