//! What changes in a file of somebody else's, shown without anybody's secrets.

use similar::{ChangeTag, TextDiff};
use toolgate_types::{is_sensitive_name, visible};

/// The changed lines. Lines that were there before may hold secrets of other servers, so their
/// values are starred; of the new ones only a token is.
pub fn shown_diff(before: &str, after: &str, file: &str) -> String {
    let mut out = format!("--- {file}\n+++ {file}\n");
    let known: Vec<&str> = before.lines().map(|line| line.trim_end_matches(',')).collect();
    let old: Vec<&str> = before.lines().flat_map(values).collect();
    let diff = TextDiff::from_lines(before, after);
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line = change.value().trim_end_matches(['\r', '\n']);
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
