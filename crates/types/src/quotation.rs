//! What a server says to a person or a model, set apart from what the gate says: whose words they
//! are comes first, and each line of them stands behind a mark, so that none can pass for a line of
//! the gate's own or of another server.
//!
//! What is shown of the arguments of a call is the guard's business, not this.

use indexmap::IndexMap;
use serde_json::value::{RawValue, to_raw_value};

use crate::{ServerId, visible};

/// What each line of a server's words stands behind. No line of the gate's begins so.
pub const QUOTE_MARK: &str = "> ";

/// So many characters and lines of a text, nothing hidden in them, each line behind the mark. What
/// is left out is counted.
pub fn quoted(text: &str, (characters, lines): (usize, usize)) -> String {
    let text = text.trim();
    let end = text.char_indices().nth(characters).map_or(text.len(), |(end, _)| end);
    let mut rest = text[..end].lines();
    let mut out = String::with_capacity(end + 64);
    for line in rest.by_ref().take(lines) {
        out.push_str(QUOTE_MARK);
        out.push_str(&visible(line));
        out.push('\n');
    }
    let missing =
        text[end..].chars().count() + rest.map(|line| line.chars().count() + 1).sum::<usize>();
    if missing > 0 {
        out.push_str(&format!("({missing} more characters are left out)\n"));
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// A question of a server as a person reads it. All of it: what somebody agrees to unseen, a gate's
/// behind this one for example, would be worse than a long text.
fn asks(server: &ServerId, words: &str) -> String {
    let whose = format!("The server `{server}` asks.");
    match words.trim().is_empty() {
        true => whose,
        false => {
            let words = quoted(words, (usize::MAX, usize::MAX));
            format!("{whose} These are its own words:\n{words}")
        }
    }
}

/// The params of an elicitation with a message that says first whose it is. Everything else is as
/// the server sent it.
pub fn elicitation_of(server: &ServerId, params: Option<&RawValue>) -> Box<RawValue> {
    #[derive(serde::Deserialize)]
    struct Asked {
        message: Option<Box<RawValue>>,
    }
    let asked = params.and_then(|params| serde_json::from_str::<Asked>(params.get()).ok());
    let words = asked.and_then(|asked| asked.message);
    let words = words.and_then(|words| serde_json::from_str::<String>(words.get()).ok());
    let message = asks(server, &words.unwrap_or_default());
    // A text can be written.
    let message = to_raw_value(&message).unwrap_or_default();
    with_member(params, "message", &message)
}

/// The same object with another member of this name, in its place, and with none that a reader who
/// does not mind case would take for it.
pub fn with_member(object: Option<&RawValue>, key: &str, value: &RawValue) -> Box<RawValue> {
    let read =
        |raw: &'_ RawValue| serde_json::from_str::<IndexMap<String, Box<RawValue>>>(raw.get());
    let mut members = object.and_then(|object| read(object).ok()).unwrap_or_default();
    members.retain(|name, _| name == key || folded(name) != folded(key));
    members.insert(key.to_owned(), value.to_owned());
    to_raw_value(&members).unwrap_or_default()
}

/// Without case, and without the two letters that are another's small form.
fn folded(name: &str) -> String {
    name.replace('\u{17f}', "s").replace('\u{212a}', "k").to_lowercase()
}

#[cfg(test)]
mod tests;
