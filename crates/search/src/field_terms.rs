//! The terms of one tool, field by field.

use std::collections::HashMap;

use crate::definition_text::{SearchedTool, ToolField};
use crate::product_names::product_names;
use crate::stem::stem;
use crate::words::{is_filler, words_of};

/// More words are no name: they are there to be found.
const LONGEST_NAME: f32 = 8.0;

/// How often each term stands in each field, and how long the fields are.
pub(crate) struct FieldTerms {
    pub(crate) counts: HashMap<String, [u16; ToolField::ALL.len()]>,
    pub(crate) lengths: [usize; ToolField::ALL.len()],
}

impl FieldTerms {
    pub(crate) fn of(tool: &SearchedTool<'_>) -> Self {
        let mut terms = Self { counts: HashMap::new(), lengths: [0; ToolField::ALL.len()] };
        for (place, field) in ToolField::ALL.into_iter().enumerate() {
            tool.texts(field, |text| {
                words_of(text, |word| terms.add(place, field.most_words(), word));
                // In prose they are what things are called; elsewhere, how names are written.
                if field.is_prose() {
                    product_names(text, |name| terms.add(place, field.most_words(), name));
                }
            });
        }
        terms
    }

    /// What a tool's words count: all, unless it has them in a name that nobody gives a tool.
    pub(crate) fn trust(&self) -> f32 {
        let [name, ..] = self.lengths;
        (LONGEST_NAME / name as f32).min(1.0).powi(2)
    }

    fn add(&mut self, place: usize, most: usize, word: &str) {
        let Some(length) = self.lengths.get_mut(place).filter(|length| **length < most) else {
            return;
        };
        if is_filler(word) {
            return;
        }
        *length += 1;
        let counts = self.counts.entry(stem(word)).or_default();
        if let Some(count) = counts.get_mut(place) {
            *count = count.saturating_add(1);
        }
    }
}
