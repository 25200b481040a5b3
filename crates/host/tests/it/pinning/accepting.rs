//! A person accepts what changed while the host runs, and while something waits for an answer.

use toolgate_host::ApprovalChoice;
use toolgate_types::config::{ApprovalMode, Server};

use super::{Office, TOOL, call_of, has_all, with};
use crate::approving::{DENY, Says, say_seen, word};
use crate::gate::{id, json, within};

/// Shows: E-6, P11-11.
#[tokio::test]
async fn what_a_person_accepted_runs_unasked_and_is_listed() {
    let changed = with("Reads a file.", "Reads it all.");
    let office = Office::of(DENY, &[&[TOOL], &[&changed]]).await;
    assert_eq!(office.listed().await, [TOOL]);
    office.changes().await;
    assert_eq!(office.asked("read").await.1, "denied");
    office.accepts(&["read"], false).await;
    assert_eq!(office.listed().await, [&*changed]);
    assert_eq!(office.call("read").await, "done");
    assert_eq!((office.times(), office.calls()), (1, 1));
}

/// What was shown is what is accepted: the server meanwhile sends something else.
#[tokio::test]
async fn what_came_after_the_person_looked_asks_again() {
    let (second, third) = (with("a file", "two files"), with("a file", "three files"));
    let office = Office::of(DENY, &[&[TOOL], &[&second], &[&third]]).await;
    assert_eq!(office.listed().await, [TOOL]);
    office.changes().await;
    assert_eq!(office.asked("read").await.1, "denied");
    // Whoever accepts has the server asked again, and it has a third one by now.
    office.accepts(&["read"], false).await;
    let (text, came) = office.asked("read").await;
    assert_eq!((came.as_str(), office.calls()), ("denied", 0));
    has_all(&text, &["- Reads two files.", "+ Reads three files."]);
    assert_eq!(office.listed().await, [second]);
}

#[tokio::test]
async fn a_call_that_waits_while_its_definition_is_accepted_is_done_as_approved() {
    let changed = with("Reads a file.", "Reads it all.");
    let mut office = Office::of(Says::Waits, &[&[TOOL], &[&changed]]).await;
    office.shop = office.shop.with_queue();
    assert_eq!(office.listed().await, [TOOL]);
    office.changes().await;
    let call = office.shop.begin(call_of("read"));
    let waiting = office.shop.asked().await;
    office.accepts(&["read"], false).await;
    say_seen(&office.shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
}

/// Shows: C18.
#[tokio::test]
async fn rug_pulls_a_call_that_waits_while_its_definition_changes_once_more_is_not_done() {
    let (second, third) = (with("a file", "two files"), with("a file", "three files"));
    let mut office = Office::of(Says::Waits, &[&[TOOL], &[&second], &[&third]]).await;
    office.shop = office.shop.with_queue();
    assert_eq!(office.listed().await, [TOOL]);
    office.changes().await;
    let call = office.shop.begin(call_of("read"));
    let waiting = office.shop.asked().await;
    office.changes().await;
    say_seen(&office.shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "expired");
    assert_eq!(office.calls(), 0);
}

/// An embedding program keeps the tools that it was given. What decides about them is what they are.
#[tokio::test]
async fn a_tool_that_was_listed_before_is_decided_by_what_was_accepted_since() {
    let changed = with(r#""readOnlyHint":true"#, r#""destructiveHint":true"#);
    let auto = |server: &mut Server| {
        server.approval = Some(ApprovalMode::Auto);
    };
    let office = Office::with(DENY, &[&[TOOL], &[&changed]], auto, |_| {}).await;
    let tools = within(office.shop.host.tools()).await;
    let tool = tools.iter().find(|tool| tool.origin().is_some()).unwrap();
    within(tool.call(json("{}"))).await.unwrap();
    office.changes().await;
    office.listed().await;
    office.accepts(&["read"], false).await;
    for _ in 0..2 {
        let refused = within(tool.call(json("{}"))).await.unwrap_err();
        assert_eq!(refused.reason, Some("denied"), "{refused}");
    }
    assert_eq!((office.times(), office.calls()), (2, 1));
}

/// Whoever asks why is told what would come of a call.
#[tokio::test]
async fn the_owner_is_told_that_a_changed_tool_asks() {
    let changed = with("Reads a file.", "Reads it all.");
    let office = Office::of(DENY, &[&[TOOL], &[&changed]]).await;
    let explain = async || {
        let (audience, server) = (toolgate_host::Audience::MODEL, id("files"));
        let host = &office.shop.host;
        let explained = within(host.explain(&audience, &server, "read", None)).await;
        explained.unwrap().unwrap().ruling.to_string()
    };
    assert!(explain().await.starts_with("allow: "));
    office.changes().await;
    office.listed().await;
    assert_eq!(explain().await, "ask: its definition is not the one that was accepted");
    office.accepts(&["read"], false).await;
    assert!(explain().await.starts_with("allow: "));
}

/// `auto` was chosen for the tools that there were: one that came later asks until it was accepted.
#[tokio::test]
async fn what_only_reads_and_came_after_auto_was_chosen_asks_first() {
    let reads = r#""annotations":{"readOnlyHint":true,"openWorldHint":false}"#;
    let tool =
        |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},{reads}}}"#);
    let (read, peek) = (tool("read"), tool("peek"));
    let auto = |server: &mut Server| server.approval = Some(ApprovalMode::Auto);
    let office = Office::with(DENY, &[&[&read], &[&read, &peek]], auto, |_| {}).await;
    assert_eq!(office.call("read").await, "done");
    office.changes().await;
    let (text, came) = office.asked("peek").await;
    assert_eq!(came, "denied");
    has_all(&text, &["the tool was not there when that was chosen"]);
    assert_eq!(office.call("read").await, "done", "the others go on");
    office.accepts(&["peek"], false).await;
    assert_eq!(office.call("peek").await, "done");
    assert_eq!((office.times(), office.calls()), (1, 3));
    // Where all is approved beforehand, it was not chosen by what the server says.
    let office = Office::of(DENY, &[&[&read], &[&read, &peek]]).await;
    assert_eq!(office.call("read").await, "done");
    office.changes().await;
    assert_eq!(office.call("peek").await, "done");
}
