//! A call that waits for approval, at the terminal: the whole of what is known of it, and one word.

use std::io::Result;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::ApprovalChoice;

use super::Terminal;

const QUESTION: &str = "allow this?";

/// The form as far as it is shown.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Approval {
    message: String,
    requested_schema: Schema,
}

#[derive(Deserialize)]
struct Schema {
    properties: Properties,
}

#[derive(Deserialize)]
struct Properties {
    decision: Decision,
}

#[derive(Deserialize)]
struct Decision {
    r#enum: Vec<String>,
}

#[derive(Serialize)]
struct FilledIn {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content>,
}

#[derive(Serialize)]
struct Content {
    decision: &'static str,
}

/// Asks until a word is said that is offered; without one, nothing is approved.
pub(super) fn ask(form: &RawValue, at: &mut Terminal) -> Result<Box<RawValue>> {
    let said = match serde_json::from_str(form.get()) {
        Ok(Approval { message, requested_schema }) => {
            let offered = requested_schema.properties.decision.r#enum;
            let offered = offered.iter().filter_map(|word| ApprovalChoice::parse(word));
            let words: Vec<_> = offered.map(ApprovalChoice::as_str).collect();
            let title = message.lines().next().unwrap_or_default();
            match at.leaf(&message, &format!("\n{title}"), QUESTION)? {
                true => at.choose(QUESTION, &words)?,
                false => None,
            }
        }
        Err(_) => None,
    };
    let filled_in = match said {
        Some(decision) => FilledIn { action: "accept", content: Some(Content { decision }) },
        None => FilledIn { action: "cancel", content: None },
    };
    Ok(to_raw_value(&filled_in)?)
}
