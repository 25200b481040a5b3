//! Every path that the code names (`a::b::c`), written out in full by the file's own `use` lines.
//!
//! It does not see through re-exports, `use super::*` or macros: the file where a name is first
//! brought in is the one that is judged.

use std::collections::HashMap;

use super::is_word;

/// A path in the code. `full` is resolved through `use`; a glob import ends in `::*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    pub line: usize,
    pub full: String,
    pub is_macro: bool,
}

impl NamedPath {
    /// Whether this is `path` or something below it.
    pub fn is_below(&self, path: &str) -> bool {
        self.full.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    }
}

/// All imports, all paths of two or more parts, and all macro calls, in blanked code.
pub fn named(code: &str) -> Vec<NamedPath> {
    let imports = imports(code);
    let aliases: HashMap<&str, &str> =
        imports.iter().map(|(_, path, alias)| (alias.as_str(), path.as_str())).collect();
    let mut out: Vec<NamedPath> = imports
        .iter()
        .map(|(line, path, _)| NamedPath {
            line: *line,
            full: resolve(path, &aliases),
            is_macro: false,
        })
        .collect();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_word).map(|found| at + found) {
        let (path, length) = leading_path(&code[start..]);
        at = start + length;
        let is_macro = code[at..].starts_with('!') && !code[at..].starts_with("!=");
        if is_macro || path.contains("::") {
            let line = line_at(code, start);
            out.push(NamedPath { line, full: resolve(&path, &aliases), is_macro });
        }
    }
    out
}

/// The path at the start of the text, without blanks, and how much of the text it takes.
fn leading_path(text: &str) -> (String, usize) {
    let (mut path, mut taken) = (String::new(), 0);
    loop {
        let part = &text[taken..];
        let blanks = part.len() - part.trim_start().len();
        let word = &part[blanks..];
        let length = word.find(|c| !is_word(c)).unwrap_or(word.len());
        if length == 0 {
            return (path, taken);
        }
        if !path.is_empty() {
            path.push_str("::");
        }
        path.push_str(&word[..length]);
        taken += blanks + length;
        let rest = text[taken..].trim_start();
        let Some(after) = rest.strip_prefix("::") else { return (path, taken) };
        if !after.trim_start().starts_with(is_word) {
            return (path, taken);
        }
        taken = text.len() - after.len();
    }
}

fn resolve(path: &str, aliases: &HashMap<&str, &str>) -> String {
    let mut full = path.to_owned();
    // Aliases of aliases are rare and short; the bound keeps `use clap;` from looping.
    for _ in 0..4 {
        let first = full.split("::").next().unwrap_or_default();
        match aliases.get(first) {
            Some(target) if *target != first && !full.starts_with(*target) => {
                full = format!("{target}{}", &full[first.len()..]);
            }
            _ => break,
        }
    }
    full
}

/// `(line, path, name it is known by)` of every `use`.
fn imports(code: &str) -> Vec<(usize, String, String)> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("use") {
        let starts = !code[..at].ends_with(is_word);
        let tree = &code[at + 3..];
        // `use<'a>` in a return type is no import.
        if !starts || !tree.starts_with([' ', '\n', ':']) {
            continue;
        }
        let tree = &tree[..tree.find(';').unwrap_or(tree.len())];
        flatten("", tree, line_at(code, at), &mut out);
    }
    out
}

fn flatten(prefix: &str, tree: &str, line: usize, out: &mut Vec<(usize, String, String)>) {
    let tree = tree.trim().trim_start_matches("::");
    if let Some((head, group)) = tree.split_once('{') {
        let prefix = format!("{prefix}{}", without_blanks(head));
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        for part in split_outside_braces(group) {
            flatten(&prefix, part, line, out);
        }
        return;
    }
    let (path, alias) = match tree.split_once(" as ") {
        Some((path, alias)) => (without_blanks(path), Some(alias.trim().to_owned())),
        None => (without_blanks(tree), None),
    };
    if path.is_empty() {
        return;
    }
    let full = format!("{prefix}{path}");
    let full = full.strip_suffix("::self").unwrap_or(&full).to_owned();
    let last = full.rsplit("::").next().unwrap_or_default().to_owned();
    out.push((line, full, alias.unwrap_or(last)));
}

fn split_outside_braces(group: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    group
        .split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

fn line_at(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}
