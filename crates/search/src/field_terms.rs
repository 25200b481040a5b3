//! The terms of one tool, field by field.

use std::collections::HashMap;

use crate::definition_text::{SearchedTool, ToolField};
use crate::stem::stem;
use crate::words::{is_filler, words_of};

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
            });
        }
        terms
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
