//! What a person reads of a tool before they accept it: what changed, or all that it says of itself.

use serde_json::value::RawValue;
use toolgate_store::Pin;
use toolgate_types::{ServerId, pretty, visible};

use super::drift;

/// The most that is shown of a definition, in characters.
const LONGEST: usize = 6_000;

pub(super) fn shown(server: &ServerId, pin: &Pin) -> String {
    let lines = match drift(pin) {
        Some(drift) => drift.lines(),
        None => definition(&pin.accepted),
    };
    let mut text = format!("{server}/{}\n", visible(&pin.tool));
    for line in lines {
        // Apart from what is ours, so that no line of a server reads like one of these.
        text.push_str(&format!("  | {line}\n"));
    }
    text
}

/// A definition laid out, with nothing hidden in it; what is left out says so.
fn definition(text: &str) -> Vec<String> {
    // What was kept is JSON; if it ever were not, it is shown as it is.
    let raw = RawValue::from_string(text.to_owned());
    let laid_out = raw.map_or_else(|_| text.to_owned(), |raw| pretty(&raw));
    let end = laid_out.char_indices().nth(LONGEST).map_or(laid_out.len(), |(end, _)| end);
    let mut lines: Vec<_> = laid_out[..end].lines().map(visible).collect();
    let missing = laid_out[end..].chars().count();
    if missing > 0 {
        lines.push(format!("[{missing} more characters are not shown]"));
    }
    lines
}
