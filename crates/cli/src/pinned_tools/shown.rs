//! What a person reads of a tool before they accept it: what changed, or all that it says of itself.

use serde_json::value::RawValue;
use toolgate_assembly::pin_drift;
use toolgate_store::Pin;
use toolgate_types::{ServerId, pretty, visible};

pub(super) fn shown(server: &ServerId, pin: &Pin) -> String {
    let lines = match pin_drift(pin) {
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

/// A definition laid out, whole, with nothing hidden in it.
fn definition(text: &str) -> Vec<String> {
    // What was kept is JSON; if it ever were not, it is shown as it is.
    let raw = RawValue::from_string(text.to_owned());
    let laid_out = raw.map_or_else(|_| text.to_owned(), |raw| pretty(&raw));
    laid_out.lines().map(visible).collect()
}
