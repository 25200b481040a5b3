//! `read_doc`: a section of a page, by its heading or a line in it, or the page from its beginning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::page_walk::read_text;
use super::sections::{PageKind, PageSection, sections};
use super::{DocsToolRun, ServedDocs};
use crate::repo::RepoRefusal;
use crate::repo::bounds::StopSignal;
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

/// As text and as structured content it has to fit in a result.
const MOST: usize = 12 << 10;

/// How many headings of a page are told.
const MOST_HEADINGS: usize = 60;

/// Reads a page, or a section of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadDoc {
    /// As `search_docs` gives it.
    pub page: String,
    /// The section under this heading, e.g. `Install > Linux` or `Linux`.
    pub heading: Option<String>,
    /// The section with this line, or the lines from here on.
    pub line: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocSection {
    pub page: String,
    pub heading: String,
    pub start_line: usize,
    pub end_line: usize,
    pub text: String,
    /// There is more: go on with this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<usize>,
    /// The page's other headings.
    pub headings: Vec<String>,
}

impl BuiltinTool for ReadDoc {
    const OFFER: OfferedTool = OfferedTool {
        name: "read_doc",
        title: "Read documentation",
        description: "Reads a page that `search_docs` found, or the section of it that a heading \
                      or line names; 12 KiB at a time.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = DocSection;
}

impl ServedDocs {
    /// A page by its path, with what it is read as.
    pub(super) fn page(&self, asked: &str) -> Result<(String, PageKind, String), RepoRefusal> {
        let (path, found) = self.places.find(asked)?;
        let what = |what| RepoRefusal::NotFile { path: path.clone(), what };
        let file = found.file.ok_or_else(|| what("a folder"))?;
        let kind = PageKind::of(&path).ok_or_else(|| what("no documentation that is read here"))?;
        let text = read_text(file, self.bounds.page_bytes);
        let text = text.ok_or_else(|| what("too long, or binary"))?;
        Ok((path, kind, text))
    }
}

impl DocsToolRun for ReadDoc {
    fn run(self, place: &ServedDocs, _: &StopSignal) -> Result<DocSection, RepoRefusal> {
        let (page, kind, text) = place.page(&self.page)?;
        let parts = sections(kind, &text);
        let count = text.lines().count();
        let whole = |start: usize| (String::new(), start, count);
        let (heading, start, end) = match (&self.heading, self.line) {
            (Some(heading), line) => under(&parts, heading, line)
                .ok_or_else(|| RepoRefusal::Absent(format!("{page} > {heading}")))?,
            (None, Some(line)) => match parts.iter().find(|part| part.start == line) {
                // The first line of a section means that section.
                Some(part) => (part.shown_heading(), part.start, part.end),
                None => {
                    let part = parts.iter().find(|part| (part.start..=part.end).contains(&line));
                    part.map_or(whole(line), |part| (part.shown_heading(), line, part.end))
                }
            },
            (None, None) => whole(1),
        };
        if start > count.max(1) {
            let (lines, start) = (count as u64, start as u64);
            return Err(RepoRefusal::PastEnd { path: page, lines, start });
        }
        let (mut shown, mut last) = (String::new(), start.saturating_sub(1));
        for line in text.lines().skip(start.saturating_sub(1)).take((end + 1).saturating_sub(start))
        {
            if !shown.is_empty() && shown.len() + line.len() > MOST {
                break;
            }
            let line = &line[..line.floor_char_boundary(MOST)];
            shown.push_str(line);
            shown.push('\n');
            last += 1;
        }
        let headings = parts.iter().map(PageSection::shown_heading);
        let headings = headings.filter(|heading| !heading.is_empty()).take(MOST_HEADINGS).collect();
        let next_line = (last < end).then_some(last + 1);
        Ok(DocSection {
            page,
            heading,
            start_line: start,
            end_line: last,
            text: shown,
            next_line,
            headings,
        })
    }
}

/// The section with this heading and what lies below it: by the whole way, or by its end.
fn under(
    parts: &[PageSection],
    heading: &str,
    line: Option<usize>,
) -> Option<(String, usize, usize)> {
    let wanted: Vec<String> = heading.split('>').map(|part| part.trim().to_lowercase()).collect();
    let is_wanted = |part: &&PageSection| {
        let own: Vec<String> = part.heading.iter().map(|part| part.to_lowercase()).collect();
        own.ends_with(&wanted)
    };
    let at = parts.iter().position(|part| is_wanted(&part))?;
    let first = &parts[at];
    let below = parts[at..].iter().take_while(|part| part.heading.starts_with(&first.heading));
    let end = below.last().map_or(first.end, |part| part.end);
    let start = line.filter(|line| (first.start..=end).contains(line)).unwrap_or(first.start);
    Some((first.shown_heading(), start, end))
}

impl BuiltinToolOutput for DocSection {
    fn text(&self) -> Vec<String> {
        let next = self.next_line;
        let next = next.map(|line| format!("There is more: go on with `line` {line}."));
        std::iter::once(self.text.clone()).chain(next).collect()
    }
}
