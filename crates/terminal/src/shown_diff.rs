//! What changes in a file of somebody else's, shown without anybody's secrets.

use std::collections::HashMap;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag};
use toolgate_types::{is_sensitive_name, visible};

/// The changed lines. Lines that were there before may hold secrets of other servers, so their
/// values are starred; of the new ones only a token is.
pub fn shown_diff(before: &str, after: &str, file: &str) -> String {
    let mut out = format!("--- {file}\n+++ {file}\n");
    let known: Vec<&str> = before.lines().map(|line| line.trim_end_matches(',')).collect();
    let old: Vec<&str> = before.lines().flat_map(values).collect();
    for (sign, line) in changed_lines(before, after) {
        let line = line.trim_end_matches(['\r', '\n']);
        // A file on one line has a new line with everything old in it.
        let holds_old = values(line).any(|text| old.contains(&text));
        let is_new = sign == '+' && !holds_old && !known.contains(&line.trim_end_matches(','));
        let secret = line.contains("Bearer ")
            || line.split(['"', '=', ':']).any(|word| is_sensitive_name(word.trim()));
        let shown = if is_new && !secret { line.to_owned() } else { starred(line) };
        out.push_str(&format!("{sign}{}\n", visible(&shown)));
    }
    out
}

/// The lines that were taken away and put in, each with its sign.
fn changed_lines<'t>(before: &'t str, after: &'t str) -> Vec<(char, &'t str)> {
    let lines = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    // Numbers stand for lines: so the program has the search for differences once, for numbers.
    let mut known: HashMap<&str, u32> = HashMap::new();
    let [a, b] = [&lines[0], &lines[1]].map(|lines| {
        let mut number = |line: &&'t str| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(*line).or_insert(next)
        };
        lines.iter().map(&mut number).collect::<Vec<u32>>()
    });
    let mut found = Compact::new(Replace::new(Capture::new()), &a, &b);
    let Ok(()) = myers::diff(&mut found, &a, 0..a.len(), &b, 0..b.len());
    let ops = found.into_inner().into_inner().into_ops();
    let [old, new] = &lines;
    let changed = ops.into_iter().filter(|op| op.tag() != DiffTag::Equal).flat_map(|op: DiffOp| {
        let taken = old.get(op.old_range()).unwrap_or_default().iter().map(|line| ('-', *line));
        let put = new.get(op.new_range()).unwrap_or_default().iter().map(|line| ('+', *line));
        taken.chain(put)
    });
    changed.collect()
}

/// The quoted texts of a line that are no keys.
fn values(line: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = line.split('"').collect();
    let is_key = |after: Option<&&str>| {
        after.is_some_and(|after| after.trim_start().starts_with([':', '=']))
    };
    let quoted = (1..parts.len()).step_by(2).filter(|at| !is_key(parts.get(at + 1)));
    quoted.map(|at| parts[at]).collect::<Vec<_>>().into_iter()
}

/// A line with every quoted text but the keys replaced by stars.
fn starred(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let inner = &rest[start + 1..];
        let mut escaped = false;
        let end = inner.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some(end) = end else { break };
        let after = &inner[end + 1..];
        out.push_str(&rest[..start]);
        let is_key = after.trim_start().starts_with([':', '=']);
        out.push_str(&if is_key { format!("\"{}\"", &inner[..end]) } else { "\"***\"".into() });
        rest = after;
    }
    // A text that does not end on its line is cut: what follows may be part of it.
    out.push_str(match rest.find('"') {
        Some(start) => &rest[..start],
        None => rest,
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_others_are_shown_without_their_values() {
        assert_eq!(
            starred(r#"  "a": {"env": {"KEY": "s\"3cret", "N": 5}},"#),
            r#"  "a": {"env": {"KEY": "***", "N": 5}},"#
        );
        assert_eq!(starred(r#"token = "abc"#), "token = ");
        let shown = shown_diff(
            "{\"k\": \"old-secret\"}\n",
            "{\"k\": \"old-secret\"},\n{\"n\": \"x\"}\n",
            "f",
        );
        assert_eq!(shown, "--- f\n+++ f\n-{\"k\": \"***\"}\n+{\"k\": \"***\"},\n+{\"n\": \"x\"}\n");
        let shown = shown_diff("{\"k\":\"canary\"}\n", "{\"k\":\"canary\",\"n\":\"x\"}\n", "f");
        assert!(!shown.contains("canary"), "{shown}");
    }
}
