//! A page as its sections: Markdown by its headings, Rust by its doc comments, other text by the piece.

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    Markdown,
    Rust,
    Text,
}

impl PageKind {
    /// Nothing for what is no page.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
        match ending {
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "rs" => Some(Self::Rust),
            "txt" | "text" | "rst" | "adoc" | "org" => Some(Self::Text),
            "" if ["readme", "changelog", "contributing", "authors"].contains(&stem) => {
                Some(Self::Text)
            }
            _ => None,
        }
    }

    pub(crate) fn mime(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Rust | Self::Text => "text/plain",
        }
    }
}

/// A part of a page. Lines are counted from 1, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageSection {
    /// The headings that lead here, from the page's own down.
    pub(crate) heading: Vec<String>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl PageSection {
    pub(crate) fn shown_heading(&self) -> String {
        self.heading.join(" > ")
    }
}

/// A piece of a text without headings.
const PIECE: usize = 60;

pub(crate) fn sections(kind: PageKind, text: &str) -> Vec<PageSection> {
    match kind {
        PageKind::Markdown => markdown(text),
        PageKind::Rust => doc_comments(text),
        PageKind::Text => pieces(text),
    }
}

fn markdown(text: &str) -> Vec<PageSection> {
    let mut found: Vec<PageSection> = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let (mut fence, mut last): (Option<&str>, &str) = (None, "");
    let mut begin = (1, Vec::new());
    let mut count = 0;
    for (number, line) in (1..).zip(text.lines()) {
        count = number;
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let is_code = fence.is_some() || mark.is_some();
        let heading = if is_code { None } else { heading_of(line, last) };
        last = if is_code { "" } else { line };
        let Some((level, title, lines)) = heading else { continue };
        let starts = number + 1 - lines;
        if starts > begin.0 {
            found.push(PageSection { heading: begin.1, start: begin.0, end: starts - 1 });
        }
        open.retain(|(above, _)| *above < level);
        open.push((level, title));
        begin = (starts, open.iter().map(|(_, title)| title.clone()).collect());
    }
    if count >= begin.0 {
        found.push(PageSection { heading: begin.1, start: begin.0, end: count });
    }
    found
}

/// Its level, its words, and how many lines it has.
fn heading_of(line: &str, before: &str) -> Option<(usize, String, usize)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) {
        let rest = line[level..].strip_prefix([' ', '\t'])?;
        let title = rest.trim().trim_end_matches('#').trim();
        return Some((level, title.to_owned(), 1));
    }
    let is_underline = |mark: char| line.len() >= 3 && line.trim_end().chars().all(|c| c == mark);
    let level = if is_underline('=') {
        1
    } else if is_underline('-') {
        2
    } else {
        return None;
    };
    let title = before.trim();
    let is_title = !title.is_empty() && !title.starts_with(['#', '-', '*', '>', '|', '`']);
    is_title.then(|| (level, title.to_owned(), 2))
}

fn doc_comments(text: &str) -> Vec<PageSection> {
    let mut found = Vec::new();
    let mut begin: Option<(usize, usize, bool)> = None;
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        let bare = line.trim_start();
        let is_inner = bare.starts_with("//!");
        if is_inner || (bare.starts_with("///") && !bare.starts_with("////")) {
            begin = Some((begin.map_or(number, |(start, ..)| start), number, is_inner));
            continue;
        }
        // What is documented may have attributes before it.
        if begin.is_some_and(|(_, _, inner)| !inner) && bare.starts_with("#[") {
            continue;
        }
        if let Some((start, end, is_inner)) = begin.take() {
            let item = bare.split('{').next().unwrap_or_default();
            let item = item.trim_end_matches([' ', ';', ',']);
            let item = if is_inner || item.is_empty() { "module" } else { item };
            let heading = vec![item.chars().take(120).collect()];
            found.push(PageSection { heading, start, end });
        }
    }
    found
}

fn pieces(text: &str) -> Vec<PageSection> {
    let count = text.lines().count();
    let piece = |start: usize| PageSection {
        heading: Vec::new(),
        start,
        end: (start + PIECE - 1).min(count),
    };
    (1..=count).step_by(PIECE).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: PageKind, text: &str) -> Vec<(String, usize, usize)> {
        let shown = |section: PageSection| (section.shown_heading(), section.start, section.end);
        sections(kind, text).into_iter().map(shown).collect()
    }

    fn expected(rows: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
        rows.iter().map(|(heading, start, end)| ((*heading).to_owned(), *start, *end)).collect()
    }

    #[test]
    fn markdown_goes_by_its_headings_and_not_by_its_code() {
        let text =
            "intro\n# A\nx\n## B ##\n```sh\n# no heading\n```\n### C\n## D\nTitle\n=====\nend";
        let rows = [
            ("", 1, 1),
            ("A", 2, 3),
            ("A > B", 4, 7),
            ("A > B > C", 8, 8),
            ("A > D", 9, 9),
            ("Title", 10, 12),
        ];
        assert_eq!(found(PageKind::Markdown, text), expected(&rows));
        assert_eq!(found(PageKind::Markdown, "- a\n---\n#no\n"), expected(&[("", 1, 3)]));
    }

    #[test]
    fn rust_goes_by_its_doc_comments() {
        let text = "//! The file.\n//! More.\n\n/// Adds.\n#[must_use]\npub fn add(a: u8) -> u8 {\n// no\n}\n";
        let rows = [("module", 1, 2), ("pub fn add(a: u8) -> u8", 4, 4)];
        assert_eq!(found(PageKind::Rust, text), expected(&rows));
    }

    #[test]
    fn other_text_goes_by_the_piece() {
        let text = "x\n".repeat(61);
        assert_eq!(found(PageKind::Text, &text), expected(&[("", 1, 60), ("", 61, 61)]));
        assert!(found(PageKind::Text, "").is_empty());
    }
}
