//! The question as a form, in the words of the protocol, and what a filled-in form says.
//!
//! One field, required, with no default: some clients accept an empty form by themselves, and that
//! must approve nothing.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::ApprovalChoice;

/// The parameters of an elicitation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Form<'a> {
    message: &'a str,
    requested_schema: Schema,
}

#[derive(Debug, Serialize)]
struct Schema {
    r#type: &'static str,
    properties: Properties,
    required: [&'static str; 1],
}

#[derive(Debug, Serialize)]
struct Properties {
    decision: Decision,
}

#[derive(Debug, Serialize)]
struct Decision {
    r#type: &'static str,
    title: &'static str,
    description: &'static str,
    r#enum: Vec<&'static str>,
}

impl<'a> Form<'a> {
    pub fn new(message: &'a str, choices: &[ApprovalChoice]) -> Self {
        let description = match choices.contains(&ApprovalChoice::Session) {
            true => "once: only this call. session: this tool until the session ends. deny: no.",
            false => "once: only this call. deny: no.",
        };
        let decision = Decision {
            r#type: "string",
            title: "Decision",
            description,
            r#enum: choices.iter().map(|choice| choice.as_str()).collect(),
        };
        let properties = Properties { decision };
        let requested_schema = Schema { r#type: "object", properties, required: ["decision"] };
        Self { message, requested_schema }
    }

    pub fn to_raw(&self) -> Option<Box<RawValue>> {
        to_raw_value(self).ok()
    }
}

#[derive(Deserialize)]
struct FilledIn<'a> {
    action: &'a str,
    #[serde(default, borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    decision: &'a str,
}

/// What a filled-in form says. Nothing, where it is not accepted, says nothing, or says what was not
/// offered.
pub fn choice_of(answer: &RawValue, offered: &[ApprovalChoice]) -> Option<ApprovalChoice> {
    let FilledIn { action, content } = serde_json::from_str(answer.get()).ok()?;
    let choice = ApprovalChoice::parse(content?.decision)?;
    (action == "accept" && offered.contains(&choice)).then_some(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(answer: &str, offered: &[ApprovalChoice]) -> Option<ApprovalChoice> {
        choice_of(&RawValue::from_string(answer.to_owned()).unwrap(), offered)
    }

    #[test]
    fn a_form_has_one_required_field_without_a_default() {
        let form = Form::new("May it?", &ApprovalChoice::ALL).to_raw().unwrap();
        insta::assert_snapshot!(form.get(), @r#"{"message":"May it?","requestedSchema":{"type":"object","properties":{"decision":{"type":"string","title":"Decision","description":"once: only this call. session: this tool until the session ends. deny: no.","enum":["once","session","deny"]}},"required":["decision"]}}"#);
    }

    #[test]
    fn only_an_accepted_form_with_an_offered_decision_says_anything() {
        let all = &ApprovalChoice::ALL[..];
        let accept =
            |word: &str| format!(r#"{{"action":"accept","content":{{"decision":"{word}"}}}}"#);
        for choice in ApprovalChoice::ALL {
            assert_eq!(said(&accept(choice.as_str()), all), Some(choice));
        }
        assert_eq!(said(&accept("session"), &[ApprovalChoice::Once, ApprovalChoice::Deny]), None);
        let nothing = [
            r#"{"action":"accept"}"#,
            r#"{"action":"accept","content":{}}"#,
            r#"{"action":"accept","content":null}"#,
            r#"{"action":"accept","content":{"decision":null}}"#,
            r#"{"action":"accept","content":{"decision":["once"]}}"#,
            r#"{"action":"accept","content":{"decision":"Once"}}"#,
            r#"{"action":"accept","content":{"decision":"once "}}"#,
            r#"{"action":"accept","content":{"decision":"once","decision":"deny"}}"#,
            r#"{"action":"accept","content":"once"}"#,
            r#"{"action":"ACCEPT","content":{"decision":"once"}}"#,
            r#"{"action":"decline","content":{"decision":"once"}}"#,
            r#"{"action":"cancel"}"#,
            r#"{"content":{"decision":"once"}}"#,
            "null",
            "[]",
        ];
        for answer in nothing {
            assert_eq!(said(answer, all), None, "{answer}");
        }
    }
}
