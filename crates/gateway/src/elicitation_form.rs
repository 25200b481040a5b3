//! The question as a form, in the words of the protocol, and what a filled-in form says.
//!
//! One field, required, with no default: some clients accept an empty form by themselves, and that
//! must approve nothing.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use toolgate_host::ApprovalRequest;
use toolgate_types::{ApprovalChoice, ApprovalQuestion, ApprovalRequired, FormAnswer};
use toolgate_wire::method;

/// The parameters of an elicitation.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ElicitationForm<'a> {
    message: &'a str,
    requested_schema: ApprovalFormSchema,
}

#[derive(Debug, Serialize)]
struct ApprovalFormSchema {
    r#type: &'static str,
    properties: ApprovalFormProperties,
    required: [&'static str; 1],
}

#[derive(Debug, Serialize)]
struct ApprovalFormProperties {
    decision: DecisionField,
}

#[derive(Debug, Serialize)]
struct DecisionField {
    r#type: &'static str,
    title: &'static str,
    description: &'static str,
    r#enum: Vec<&'static str>,
}

impl<'a> ElicitationForm<'a> {
    pub(crate) fn of(question: &'a ApprovalQuestion) -> Self {
        let ApprovalQuestion { text: message, choices, moment: _ } = question;
        let description = match choices.contains(&ApprovalChoice::Session) {
            true => "once: only this call. session: this tool until the session ends. deny: no.",
            false => "once: only this call. deny: no.",
        };
        let decision = DecisionField {
            r#type: "string",
            title: "Decision",
            description,
            r#enum: choices.iter().map(|choice| choice.as_str()).collect(),
        };
        let properties = ApprovalFormProperties { decision };
        let requested_schema =
            ApprovalFormSchema { r#type: "object", properties, required: ["decision"] };
        Self { message, requested_schema }
    }

    pub(crate) fn to_raw(&self) -> Option<Box<RawValue>> {
        to_raw_value(self).ok()
    }
}

/// What a caller without a session is told to ask: the result of its request, in the words of the
/// protocol.
pub(crate) fn approval_result(required: &ApprovalRequired) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct InputRequiredResult<'a> {
        result_type: &'a str,
        input_requests: IndexMap<&'a str, ElicitationRequest<'a>>,
        request_state: &'a RawValue,
    }
    #[derive(Serialize)]
    struct ElicitationRequest<'a> {
        method: &'a str,
        params: ElicitationForm<'a>,
    }
    let params = ElicitationForm::of(&required.question);
    let approval = ElicitationRequest { method: method::ELICITATION_CREATE, params };
    to_raw_value(&InputRequiredResult {
        result_type: "input_required",
        input_requests: [(ApprovalRequest::KEY, approval)].into(),
        request_state: &required.state,
    })
    .ok()
}

#[derive(Deserialize)]
struct FilledForm<'a> {
    #[serde(default, borrow)]
    content: Option<FormContent<'a>>,
}

#[derive(Deserialize)]
struct FormContent<'a> {
    #[serde(borrow)]
    decision: &'a str,
}

#[derive(Deserialize)]
struct ClosedForm<'a> {
    action: &'a str,
}

/// What a form that came back says; nothing, where it is accepted without a decision.
pub(crate) fn form_answer(answer: &RawValue) -> Option<FormAnswer> {
    let ClosedForm { action } = serde_json::from_str(answer.get()).ok()?;
    match action {
        "decline" | "cancel" => Some(FormAnswer::Declined),
        "accept" => {
            let FilledForm { content } = serde_json::from_str(answer.get()).ok()?;
            ApprovalChoice::parse(content?.decision).map(FormAnswer::Chose)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn said(answer: &str) -> Option<FormAnswer> {
        form_answer(&RawValue::from_string(answer.to_owned()).unwrap())
    }

    #[test]
    fn a_form_has_one_required_field_without_a_default() {
        let choices = ApprovalChoice::ALL.to_vec();
        let question =
            ApprovalQuestion { text: "May it?".to_owned(), choices, moment: Arc::default() };
        let form = ElicitationForm::of(&question).to_raw().unwrap();
        insta::assert_snapshot!(form.get(), @r#"{"message":"May it?","requestedSchema":{"type":"object","properties":{"decision":{"type":"string","title":"Decision","description":"once: only this call. session: this tool until the session ends. deny: no.","enum":["once","session","deny"]}},"required":["decision"]}}"#);
    }

    #[test]
    fn only_a_decision_or_a_no_says_anything() {
        let accept =
            |word: &str| format!(r#"{{"action":"accept","content":{{"decision":"{word}"}}}}"#);
        for choice in ApprovalChoice::ALL {
            assert_eq!(said(&accept(choice.as_str())), Some(FormAnswer::Chose(choice)));
        }
        for declined in [
            r#"{"action":"decline","content":{"decision":"once"}}"#,
            r#"{"action":"decline","content":null}"#,
            r#"{"action":"cancel"}"#,
        ] {
            assert_eq!(said(declined), Some(FormAnswer::Declined), "{declined}");
        }
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
            r#"{"action":"Decline"}"#,
            r#"{"action":["cancel"]}"#,
            r#"{"content":{"decision":"once"}}"#,
            "null",
            "[]",
        ];
        for answer in nothing {
            assert_eq!(said(answer), None, "{answer}");
        }
    }
}
