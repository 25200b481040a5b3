//! What a server read, under the URI that its client asked for.

use serde_json::value::RawValue;
use toolgate_types::OperationOutcome;
use toolgate_wire::{ObjectSplice, RawObject, SpliceValue};

/// The contents that a server gave for its own URI, as contents of the one that was asked for. Any
/// other URI in them stays: it is the server's word, and leads where it leads.
pub(crate) fn readdressed(outcome: OperationOutcome, own: &str, asked: &str) -> OperationOutcome {
    if own == asked {
        return outcome;
    }
    outcome.with_result(|result| rewritten(&result, own, asked).unwrap_or(result))
}

fn rewritten(result: &RawValue, own: &str, asked: &str) -> Option<Box<RawValue>> {
    let read = RawObject::parse(result).ok()?;
    let contents: Vec<&RawValue> = serde_json::from_str(read.get("contents")?.get()).ok()?;
    let item = |raw: &&RawValue| {
        let item = RawObject::parse(raw).ok()?;
        if item.text("uri").as_deref() != Some(own) {
            return None;
        }
        let mut item = ObjectSplice::of(&item);
        item.set("uri", SpliceValue::text(asked));
        item.to_raw().ok()
    };
    let items: Vec<Box<RawValue>> =
        contents.iter().map(|raw| item(raw).unwrap_or_else(|| (*raw).to_owned())).collect();
    let mut out = ObjectSplice::of(&read);
    out.set("contents", SpliceValue::Owned(serde_json::value::to_raw_value(&items).ok()?));
    out.to_raw().ok()
}
