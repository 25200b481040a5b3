//! An entry of a configuration as the person reads it who decides about it: what would run or be
//! dialled, with its environment, headers and folder, every value as it is written.
//!
//! Nothing is masked here: whoever wrote the entry could call anything a secret. Where the entry
//! comes from, and what was accepted before, is for others to say.

use serde_json::{Map, Value};
use toolgate_types::{ConfigText, Endpoint, is_hidden, visible};

/// More blanks in a row than this are counted: they push what follows out of sight.
const BLANKS: usize = 8;

/// Each thing that an entry says, by its key; one value is one line. The keys are native, their
/// values spelt as in the file.
pub fn rows(entry: &Map<String, Value>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    if entry.contains_key("command") {
        rows.push(("runs".to_owned(), command_line(entry)));
    }
    for (key, value) in entry {
        match (key.as_str(), value) {
            ("command" | "args" | "transport", _) => {}
            ("url", Value::String(url)) => {
                rows.push((visible(key), plain(url)));
                rows.extend(other_host(url).map(|host| ("reaches".to_owned(), visible(&host))));
            }
            (_, Value::Object(table)) => rows.extend(table.iter().map(|(name, value)| {
                let value = match value {
                    Value::String(text) => word(text),
                    other => visible(&other.to_string()),
                };
                (visible(key), format!("{}={value}", word(name)))
            })),
            (_, Value::Array(items)) => {
                let items = items.iter().map(|item| match item {
                    Value::String(text) => word(text),
                    other => visible(&other.to_string()),
                });
                rows.push((visible(key), items.collect::<Vec<_>>().join(", ")));
            }
            (_, Value::String(text)) => rows.push((visible(key), plain(text))),
            (_, other) => rows.push((visible(key), visible(&other.to_string()))),
        }
    }
    rows
}

/// The one line that says what would happen: `runs …`, or `dials …`.
pub fn gist(entry: &Map<String, Value>) -> Option<String> {
    if entry.contains_key("command") {
        return Some(format!("runs {}", command_line(entry)));
    }
    let url = entry.get("url").and_then(Value::as_str)?;
    Some(match other_host(url) {
        Some(host) => format!("dials {} ({})", plain(url), visible(&host)),
        None => format!("dials {}", plain(url)),
    })
}

fn command_line(entry: &Map<String, Value>) -> String {
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = entry.get("command").into_iter().chain(args).filter_map(Value::as_str);
    words.map(word).collect::<Vec<_>>().join(" ")
}

/// A word as a shell would need it, so that spaces and empty words are seen. What is hidden in it is
/// written out as in `$'…'`, where a backslash of its own is doubled.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,${}".contains(c);
    if needs_escapes(text) {
        format!("$'{}'", escaped(text))
    } else if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// A text that has the rest of the line to itself.
fn plain(text: &str) -> String {
    let has_edges = text.is_empty() || text.trim() != text;
    if needs_escapes(text) || has_edges { word(text) } else { text.to_owned() }
}

fn needs_escapes(text: &str) -> bool {
    text.chars().any(is_hidden) || text.contains(&" ".repeat(BLANKS + 1))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        if blanks > BLANKS {
            out.push_str(&format!("\\u{{20}}×{blanks}"));
            rest = &rest[blanks..];
            continue;
        }
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            c => out.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The host that is really dialled, where the text spells it in another way.
fn other_host(url: &str) -> Option<String> {
    // What a variable holds is not known here, and not to be shown.
    if url.contains("${") {
        return None;
    }
    let endpoint = Endpoint::parse(ConfigText::Plain(url.to_owned())).ok()?;
    let host = endpoint.url().host_str()?.to_owned();
    (!url.to_ascii_lowercase().contains(&host)).then_some(host)
}

#[cfg(test)]
mod tests;
