//! `search_docs`: the sections that fit a question best.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_search::{each_word, word_stem};
use toolgate_types::config::ApprovalMode;

use super::page_walk::read_text;
use super::{DocsToolRun, ServedDocs};
use crate::repo::RepoRefusal;
use crate::repo::bounds::StopSignal;
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};

const USUAL: usize = 8;
const MOST: usize = 30;
const LONGEST_QUERY: usize = 1_000;
/// How much of a line is shown.
const SHOWN: usize = 240;

/// Searches what is written.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchDocs {
    /// What you want to know, in words.
    pub query: String,
    /// 8 if left out, 30 at most.
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocHits {
    /// The best first.
    pub hits: Vec<DocHit>,
    /// How many pages were looked through.
    pub pages: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocHit {
    pub page: String,
    /// The headings that lead there.
    pub heading: String,
    /// Of the text, counted from 1.
    pub line: usize,
    /// The line that fits best.
    pub text: String,
}

impl BuiltinTool for SearchDocs {
    const OFFER: OfferedTool = OfferedTool {
        name: "search_docs",
        title: "Search the documentation",
        description: "Finds sections of the folder's Markdown, Rust doc comments and text files \
                      by meaning words; gives page, heading and line.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = DocHits;
}

impl DocsToolRun for SearchDocs {
    fn run(self, place: &ServedDocs, stop: &StopSignal) -> Result<DocHits, RepoRefusal> {
        let query = &self.query[..self.query.floor_char_boundary(LONGEST_QUERY)];
        let most = self.limit.unwrap_or(USUAL).clamp(1, MOST);
        let found = place.find_sections(query, most, stop)?;
        let mut stems = Vec::new();
        each_word(query, |word| stems.extend(word_stem(word)));
        let mut hits = Vec::new();
        for (page, section) in found.sections {
            // It may have changed since; then it is found again by what it says now.
            let Some(text) = page_text(place, &page) else { continue };
            let (start, end) = (section.place.start, section.place.end);
            let lines = text.lines().skip(start - 1).take(end + 1 - start);
            let fits = |line: &str| {
                let mut count = 0;
                each_word(line, |word| {
                    count += usize::from(word_stem(word).is_some_and(|stem| stems.contains(&stem)));
                });
                count
            };
            let best = lines.enumerate().max_by_key(|(at, line)| (fits(line), usize::MAX - at));
            let (at, line) = best.unwrap_or((0, ""));
            let line = line.trim();
            let text = line[..line.floor_char_boundary(SHOWN)].to_owned();
            let heading = section.place.shown_heading();
            hits.push(DocHit { page, heading, line: start + at, text });
        }
        let hint = "Not all pages were looked through: there are too many, or it took too long.";
        let partial = (!found.is_whole).then(|| hint.to_owned());
        let unopened = found.unopened.iter();
        let unopened = unopened.map(|label| format!("The folder `{label}` cannot be opened."));
        let hints: Vec<String> = partial.into_iter().chain(unopened).collect();
        let hint = (!hints.is_empty()).then(|| hints.join(" "));
        Ok(DocHits { hits, pages: found.pages, hint })
    }
}

fn page_text(place: &ServedDocs, page: &str) -> Option<String> {
    read_text(place.places.find(page).ok()?.1.file?, place.bounds.page_bytes)
}

impl BuiltinToolOutput for DocHits {
    fn text(&self) -> Vec<String> {
        let shown = |hit: &DocHit| {
            let heading = if hit.heading.is_empty() { "" } else { " — " };
            let page = one_line(&hit.page);
            format!("{page}:{}{heading}{}\n    {}", hit.line, hit.heading, hit.text)
        };
        let mut lines: Vec<String> = self.hits.iter().map(shown).collect();
        if lines.is_empty() {
            lines.push(format!("Nothing fits in {} pages.", self.pages));
        }
        std::iter::once(lines.join("\n")).chain(self.hint.clone()).collect()
    }
}
