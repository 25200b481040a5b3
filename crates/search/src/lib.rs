//! Finds tools by what a person or a model wants done.
//!
//! Each tool is read field by field: its name says more than its description, and that more than its
//! parameters. A term counts by how rare it is among the tools of this list (BM25 over weighted fields), and
//! a tool also by what its server is about. A request for several things is read part by part as well, since
//! its first thing would hide the others. What is listed to nobody is not in an index: an index is made of
//! one audience's list.

mod best_sums;
mod catalog_file;
mod clauses;
mod definition_text;
mod field_terms;
mod index;
mod near_spelling;
mod past_prior;
mod product_names;
mod query;
mod quoted_data;
mod ranking;
mod related_words;
mod short_forms;
mod spread;
mod stem;
mod word_stems;
mod words;

pub use catalog_file::{BadCatalog, CatalogTool};
pub use definition_text::SearchedTool;
pub use index::ToolIndex;
pub use past_prior::prior_of;
pub use spread::FoundTool;
pub use word_stems::{each_word, word_stem};

#[cfg(test)]
mod tests;
