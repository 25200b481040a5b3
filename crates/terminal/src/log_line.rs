//! A line of the log as a person reads it: when, how grave, what, and what about it.

use serde_json::{Map, Value};
use toolgate_types::visible;

/// What is said of itself by every line of ours.
const LEFT_OUT: [&str; 4] = ["timestamp", "level", "message", "target"];

/// What is no line of ours is shown as it is.
pub fn log_line_text(line: &str) -> String {
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(line) else {
        return visible(line);
    };
    let word = |key: &str| visible(fields.get(key).and_then(Value::as_str).unwrap_or("-"));
    let mut text = format!("{} {:<5} {}", word("timestamp"), word("level"), word("message"));
    let about =
        fields.iter().filter(|(key, value)| !LEFT_OUT.contains(&key.as_str()) && !value.is_null());
    for (key, value) in about {
        let value = match value {
            Value::String(words) if is_plain(words) => words.clone(),
            other => visible(&other.to_string()),
        };
        text.push_str(&format!(" {}={value}", visible(key)));
    }
    text
}

/// Whether a text needs no quotes to be told from its neighbours.
fn is_plain(words: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '=' | '\\');
    !words.is_empty() && words.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_in_its_order_and_with_nothing_hidden() {
        let line = r#"{"timestamp":"2026-01-02T03:04:05Z","level":"WARN","message":"server state",
            "target":"toolgate","pid":7,"server":"docs","error":"no \u001b[7m answer","none":null}"#;
        assert_eq!(
            log_line_text(line),
            "2026-01-02T03:04:05Z WARN  server state pid=7 server=docs \
             error=\"no \\u001b[7m answer\""
        );
        assert_eq!(log_line_text("not \u{1b}json"), "not \\u{1b}json");
    }
}
