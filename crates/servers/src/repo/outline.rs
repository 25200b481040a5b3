//! `outline`: what a source file defines, and where.
//!
//! The grammar of the language finds it, by the file's ending; a file that does not parse in places still
//! shows the rest. Only built with the feature `outline`.

mod languages;

use std::io::Read as _;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::bounds::StopSignal;
use super::{RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};
use languages::{OutlineLanguage, language_of};

/// The largest file that is parsed.
const LARGEST: u64 = 1024 * 1024;
const MOST_ITEMS: usize = 2_000;
const DEEPEST: usize = 12;
/// A file can be nested so deeply that going through it would take all of a thread's stack.
const DEEPEST_NODE: usize = 2_000;
const LONGEST_NAME: usize = 200;

/// Outlines a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    /// The source file, relative to the served folder.
    pub path: String,
}

/// What a file defines, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileOutline {
    /// Relative to the served folder.
    pub path: String,
    pub language: String,
    pub items: Vec<OutlineItem>,
    /// There is more than this.
    pub truncated: bool,
    /// Why it is not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutlineItem {
    /// What it is in its language, for example `function`, `class` or `impl`.
    pub kind: &'static str,
    pub name: String,
    /// Counted from 1.
    pub start_line: u64,
    /// Itself included.
    pub end_line: u64,
    /// How many of the definitions before it it stands in.
    pub depth: usize,
}

impl BuiltinTool for Outline {
    const OFFER: OfferedTool = OfferedTool {
        name: "outline",
        title: "Outline a source file",
        description: "Lists what a source file defines (functions, types, classes, methods) with its lines: \
                      Rust, Python, TypeScript, JavaScript, Go, Java and C.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = FileOutline;
}

impl RepoToolRun for Outline {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<FileOutline, RepoRefusal> {
        let found = place.folder.find(&self.path)?;
        let path = found.path();
        let Some(file) = found.file else {
            return Err(RepoRefusal::NotFile { path: self.path, what: "a folder" });
        };
        let language = language_of(&path).ok_or(RepoRefusal::Language(self.path.clone()))?;
        let mut source = Vec::new();
        let read = file.take(LARGEST + 1).read_to_end(&mut source);
        read.map_err(|error| RepoRefusal::Unreadable {
            path: self.path.clone(),
            why: error.kind().to_string(),
        })?;
        if source.len() as u64 > LARGEST {
            return Err(RepoRefusal::TooSlow(self.path));
        }
        let tree = parse(&language, &source, stop)?.ok_or(RepoRefusal::TooSlow(self.path))?;
        let mut outline = FileOutline {
            path: path.to_string_lossy().into_owned(),
            language: language.name.to_owned(),
            ..FileOutline::default()
        };
        let is_whole = walk(&language, &tree, &source, &mut outline.items);
        outline.truncated = !is_whole;
        outline.hint = (!is_whole).then(|| "There is more than is shown.".to_owned());
        Ok(outline)
    }
}

/// `None` when time is up.
fn parse(
    language: &OutlineLanguage,
    source: &[u8],
    stop: &StopSignal,
) -> Result<Option<Tree>, RepoRefusal> {
    let mut parser = Parser::new();
    let set = parser.set_language(&language.grammar);
    set.map_err(|_| RepoRefusal::Language(language.name.to_owned()))?;
    let mut ask = |_: &tree_sitter::ParseState| match stop.is_due() {
        Ok(false) => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut ask);
    let mut read = |from: usize, _| source.get(from..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    stop.is_due()?;
    Ok(tree)
}

/// Goes through the tree from node to node; says whether everything was taken.
fn walk(
    language: &OutlineLanguage,
    tree: &Tree,
    source: &[u8],
    items: &mut Vec<OutlineItem>,
) -> bool {
    let mut cursor = tree.walk();
    // Where the definitions end that the cursor is in.
    let mut around: Vec<usize> = Vec::new();
    let mut depth = 0;
    let mut is_whole = true;
    loop {
        let node = cursor.node();
        while around.last().is_some_and(|end| node.start_byte() >= *end) {
            around.pop();
        }
        if let Some((kind, name)) = language.defines(node, source) {
            if items.len() == MOST_ITEMS {
                return false;
            }
            items.push(OutlineItem {
                kind,
                name: shorten(&name),
                start_line: node.start_position().row as u64 + 1,
                end_line: last_line(node),
                depth: around.len(),
            });
            around.push(node.end_byte());
        }
        let goes_in = around.len() < DEEPEST && depth < DEEPEST_NODE;
        if goes_in && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        is_whole &= goes_in || node.child_count() == 0;
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return is_whole;
            }
            depth -= 1;
        }
    }
}

/// A node that ends right after a line break ends with the line before.
fn last_line(node: Node<'_>) -> u64 {
    let (start, end) = (node.start_position(), node.end_position());
    let is_after_break = end.column == 0 && end.row > start.row;
    end.row as u64 + u64::from(!is_after_break)
}

fn shorten(name: &str) -> String {
    let one = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match one.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &one[..end]),
        None => one,
    }
}

impl BuiltinToolOutput for FileOutline {
    fn text(&self) -> Vec<String> {
        let lines = self.items.iter().map(|item| {
            let OutlineItem { kind, name, start_line, end_line, depth } = item;
            let indent = "  ".repeat(*depth);
            format!("{start_line}-{end_line} {indent}{kind} {}\n", one_line(name))
        });
        let shown: String = lines.collect();
        let shown = if shown.is_empty() { "Nothing is defined.".to_owned() } else { shown };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}

#[cfg(test)]
mod tests;
