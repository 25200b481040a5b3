//! What a client is told when it arrives.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolgate_host::Address;

use crate::respond::raw;
use crate::served::Served;

/// What is offered, whatever the servers behind have: they come and go, and lists say what is there.
pub(crate) static CAPABILITIES: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let text = concat!(
        r#"{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"#,
        r#""prompts":{"listChanged":true},"completions":{},"logging":{}}"#
    );
    raw(text.to_owned())
});

/// The longest that all servers together may say.
const MOST: usize = 16 * 1024;

/// What the servers say about how to use them, each under its name.
pub(crate) fn instructions(served: &Served, address: &Address) -> Option<String> {
    let mut all = String::new();
    for (server, words) in served.host.instructions(address) {
        let part = format!("## {server}\n\n{}\n\n", words.trim());
        if all.len() + part.len() <= MOST {
            all.push_str(&part);
        }
    }
    let all = all.trim_end();
    (!all.is_empty()).then(|| all.to_owned())
}
