//! A modern caller: it is told to ask the person itself, and comes back with what they said.

use toolgate_host::{
    ApprovalChoice, ApprovalQueue, ApprovalReference, Call, CallOptions, CallTarget,
};
use toolgate_store::{MemoryStore, Store};
use toolgate_types::config::ApprovalMode;
use toolgate_types::{
    ApprovalRequired, Code, FormAnswer, OperationOutcome, Principal, RetryAnswers,
};

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::changes::{config, reload};
use super::{
    PATIENCE, Says, Shop, asking, call_in, caller, git, options, push, queue, say_seen,
    waving_poke_through, word,
};
use crate::gate::{id, json, within};

const KEY: &str = "toolgate.approval";
const YES: &str = "once";
const NO: &str = "deny";
/// It was closed without a word.
const DECLINED: &str = "";

/// What a caller is told to ask.
async fn deferred(shop: &Shop, call: Call) -> ApprovalRequired {
    match within(shop.host.call(call)).await.unwrap() {
        OperationOutcome::ApprovalRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

/// The same call again, with the note and what was filled in.
fn again(call: Call, state: &RawValue, filled_in: Option<&str>) -> Call {
    // As a client sends it, beside what its transport reads out of it.
    let responses = filled_in.map(|word| (KEY.to_owned(), json(&format!("\"{word}\""))));
    let retry = RetryAnswers {
        responses: responses.into_iter().collect(),
        state: Some(state.to_owned()),
        approval: match filled_in {
            Some(DECLINED) => Some(FormAnswer::Declined),
            word => word.and_then(ApprovalChoice::parse).map(FormAnswer::Chose),
        },
    };
    let options = CallOptions { retry: Some(retry), ..call.options.clone() };
    call.options(options)
}

/// A shop whose caller was told to ask, with the note it got.
async fn asked(shop: Shop) -> (Shop, Box<RawValue>, ApprovalReference) {
    let required = deferred(&shop, push()).await;
    let waiting = shop.asked().await;
    (shop, required.state, waiting.reference)
}

fn modern() -> Shop {
    Shop::of(Says::Defers)
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn a_caller_that_asks_itself_is_told_what_and_its_answer_counts() {
    let shop = modern();
    let ApprovalRequired { question, state } = deferred(&shop, push()).await;
    let waiting = shop.asked().await;
    assert_eq!(question.text, waiting.request.shown.text());
    assert_eq!(question.choices, waiting.request.choices());
    assert_eq!(
        shop.approvals.waiting().len(),
        1,
        "and whoever looks at the approval queue may be faster"
    );
    let done = shop.call(again(push(), &state, Some(YES))).await;
    assert_eq!((done.as_str(), shop.calls()), ("done", 1));
    let sent = within(shop.gate.peers.last("git").received(r#""tools/call""#)).await;
    // The peer plays a server of this process, which is told who calls.
    let sent = sent.replace(r#""toolgate/principal":"ada""#, "");
    for ours in ["toolgate", "inputResponses", "requestState"] {
        assert!(!sent.contains(ours), "what was between us is not the server's: {sent}");
    }
    assert!(shop.approvals.waiting().is_empty());
}

#[tokio::test(start_paused = true)]
async fn approval_replay_whoever_comes_back_with_something_else_gets_nothing_of_it() {
    let (shop, state, _) = asked(modern()).await;
    let with = |arguments: &str| again(push().arguments(json(arguments)), &state, Some(YES));
    let by = |change: fn(&mut toolgate_types::Caller)| {
        let mut other = caller(Some("s"));
        change(&mut other);
        again(push().options(options(other)), &state, Some(YES))
    };
    let named = |audience: toolgate_host::Audience| {
        let target = CallTarget::Exact { audience, server: id("git"), tool: "push".to_owned() };
        again(Call { target, ..push() }, &state, Some(YES))
    };
    let other_address = toolgate_host::Audience {
        address: toolgate_host::AudienceAddress::Bundles(Vec::new()),
        ..toolgate_host::Audience::MODEL
    };
    let changed = [
        ("another argument", with(r#"{"n":2}"#)),
        ("one more argument", with(r#"{"n":1.5,"m":null}"#)),
        ("no arguments", again(Call { arguments: None, ..push() }, &state, Some(YES))),
        ("another tool", again(call_in(Some("s"), "pull"), &state, Some(YES))),
        ("another session", again(call_in(Some("t"), "push"), &state, Some(YES))),
        ("no session", again(call_in(None, "push"), &state, Some(YES))),
        ("another client", by(|caller| caller.client = Some("cursor".to_owned()))),
        ("another workspace", by(|caller| caller.workspace = Path::new("/elsewhere").into())),
        ("another era", by(|caller| caller.era = Some(toolgate_types::Era::Modern))),
    ];
    for (what, call) in changed {
        assert_eq!(shop.call(call).await, "expired", "{what}");
    }
    assert_eq!(shop.call(named(other_address)).await, "not_found", "where it is not seen");
    let bob = by(|caller| caller.principal = Principal::named("bob"));
    assert_eq!(shop.call(bob).await, "state", "another caller");
    assert_eq!(shop.calls(), 0);
    assert_eq!(shop.person.times(), 1, "and nobody was bothered");
    // The caller itself has lost nothing, and may write its arguments as it likes. What is sent is
    // what was shown.
    assert_eq!(shop.call(with("{ \"\\u006e\" : 15e-1 }")).await, "done");
    assert_eq!(shop.calls(), 1);
    let sent = within(shop.gate.peers.last("git").received(r#""tools/call""#)).await;
    assert!(sent.contains(r#""arguments":{"n":1.50}"#), "{sent}");
}

/// What a request brings along is shown and sent as it was shown, or it is not sent.
#[tokio::test(start_paused = true)]
async fn what_nobody_saw_does_not_travel_with_an_approved_call() {
    let shop = modern();
    let meta = |words: &str| Some(json(&format!(r#"{{"progressToken":7,"note":"{words}"}}"#)));
    let first = push();
    let smuggled = RetryAnswers {
        responses: vec![("confirm".to_owned(), json(r#"{"action":"accept"}"#))],
        state: Some(json(r#""the server's own""#)),
        approval: None,
    };
    let with = CallOptions { meta: meta("seen"), retry: Some(smuggled), ..first.options.clone() };
    let state = deferred(&shop, first.options(with)).await.state;
    let waiting = shop.asked().await;
    let text = waiting.request.shown.text();
    assert!(text.contains("Also sent, as `_meta`") && text.contains(r#""note": "seen""#), "{text}");
    assert!(!text.contains("progressToken"), "what the gate says itself: {text}");
    let mut retry = again(push(), &state, Some(YES));
    retry.options.meta = meta("unseen");
    let answers = retry.options.retry.as_mut().unwrap();
    answers.responses.push(("confirm".to_owned(), json(r#"{"action":"accept"}"#)));
    assert_eq!(shop.call(retry).await, "done");
    let sent = within(shop.gate.peers.last("git").received(r#""tools/call""#)).await;
    assert!(sent.contains(r#""note":"seen""#), "{sent}");
    for unseen in ["unseen", "inputResponses", "requestState", "confirm"] {
        assert!(!sent.contains(unseen), "{unseen}: {sent}");
    }
}

/// A call whose text does not fit into a form can be declined there and is approved elsewhere.
#[tokio::test(start_paused = true)]
async fn what_a_form_cannot_carry_whole_is_not_approved_over_it() {
    let shop = modern().with_queue();
    let long = format!(r#"{{"n":"{} touch M"}}"#, "x".repeat(20_000));
    let call = || push().arguments(json(&long));
    let required = deferred(&shop, call()).await;
    let waiting = shop.asked().await;
    assert!(waiting.request.shown.text().contains("touch M"));
    let form = required.question.text.clone();
    assert!(!form.contains("touch M") && form.contains("more bytes are not shown"), "{form}");
    assert_eq!(required.question.choices, [ApprovalChoice::Deny]);
    let state = required.state;
    // A yes that was never offered closes that channel and no more.
    let held = shop.begin(again(call(), &state, Some(YES)));
    tokio::task::yield_now().await;
    assert!(shop.approvals.find(&waiting.reference).is_some(), "it still waits");
    let unseen = shop.approvals.answer(&waiting.reference, queue(ApprovalChoice::Once));
    assert_eq!(unseen, Err(toolgate_host::NotWaiting::Unseen));
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(held).await.unwrap()), "done");
}

#[tokio::test(start_paused = true)]
async fn approval_replay_a_note_that_was_changed_is_worth_nothing() {
    let (shop, state, _) = asked(modern()).await;
    let length = state.get().len();
    for at in (1..length - 1).step_by(7).chain([length - 2]) {
        let mut bytes = state.get().as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
        let forged = json(&String::from_utf8(bytes).unwrap());
        let done = shop.call(again(push(), &forged, Some(YES))).await;
        // What does not look like ours at all is the server's, and the call asked for as any other.
        let expected = if at <= 10 { "approval_required" } else { "state" };
        assert_eq!(done, expected, "{at}: {forged}");
    }
    assert_eq!(shop.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn approval_replay_an_answer_is_used_once() {
    let (shop, state, _) = asked(modern()).await;
    let retry = || again(push(), &state, Some(YES));
    assert_eq!(shop.call(retry()).await, "done");
    assert_eq!(shop.call(retry()).await, "expired");
    assert_eq!(shop.calls(), 1);
    // And of many at once, one.
    let (shop, state, _) = asked(modern()).await;
    let many: Vec<_> = (0..20).map(|_| shop.begin(again(push(), &state, Some(YES)))).collect();
    let mut words = Vec::new();
    for one in many {
        words.push(word(&within(one).await.unwrap()));
    }
    words.sort();
    assert_eq!(words[0], "done");
    assert_eq!(words[1..], vec!["expired"; 19]);
    assert_eq!(shop.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_looks_at_the_desk_may_be_faster_and_then_the_form_counts_only_where_it_is_a_no() {
    for (choice, becomes) in [(ApprovalChoice::Once, "done"), (ApprovalChoice::Deny, "denied")] {
        for filled_in in [Some(YES), Some(NO), Some(DECLINED), Some("null"), None] {
            let (shop, state, reference) = asked(modern().with_queue()).await;
            say_seen(&shop.approvals, &reference, choice).unwrap();
            let done = shop.call(again(push(), &state, filled_in)).await;
            let is_no = [Some(NO), Some(DECLINED)].contains(&filled_in);
            let becomes = if is_no { "denied" } else { becomes };
            assert_eq!(done, becomes, "{choice}, {filled_in:?}");
            assert_eq!(shop.calls(), usize::from(becomes == "done"));
        }
    }
}

/// The call was approved in the queue and is not back yet: its form says no, and nothing is granted.
#[tokio::test(start_paused = true)]
async fn a_no_in_the_form_after_a_yes_for_the_session_takes_the_grant_back() {
    let (shop, state, reference) = asked(modern().with_queue()).await;
    say_seen(&shop.approvals, &reference, ApprovalChoice::Session).unwrap();
    assert_eq!(shop.call(again(push(), &state, Some(NO))).await, "denied");
    let required = deferred(&shop, push()).await;
    assert_eq!(shop.call(again(push(), &required.state, Some(NO))).await, "denied");
    assert_eq!(shop.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_comes_back_without_a_decision_is_denied_or_waits_for_who_looks_at_the_desk() {
    for filled_in in [Some("null"), None] {
        let (shop, state, _) = asked(modern()).await;
        assert_eq!(shop.call(again(push(), &state, filled_in)).await, "denied", "{filled_in:?}");
        let (shop, state, reference) = asked(modern().with_queue()).await;
        let held = shop.begin(again(push(), &state, filled_in));
        tokio::time::sleep(PATIENCE / 2).await;
        assert!(!held.is_finished());
        assert_eq!(shop.call(again(push(), &state, Some(YES))).await, "expired", "it is here");
        say_seen(&shop.approvals, &reference, ApprovalChoice::Once).unwrap();
        assert_eq!(word(&within(held).await.unwrap()), "done", "{filled_in:?}");
        assert_eq!(shop.calls(), 1);
    }
    for no in [NO, DECLINED] {
        let (shop, state, _) = asked(modern().with_queue()).await;
        assert_eq!(shop.call(again(push(), &state, Some(no))).await, "denied", "a no is a no");
    }
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn who_comes_back_too_late_finds_that_it_expired() {
    let (shop, state, reference) = asked(modern().with_queue()).await;
    let (other, other_state, of_other) = asked(modern().with_queue()).await;
    say_seen(&other.approvals, &of_other, ApprovalChoice::Once).unwrap();
    tokio::time::sleep(PATIENCE).await;
    assert!(shop.approvals.waiting().is_empty());
    assert!(say_seen(&shop.approvals, &reference, ApprovalChoice::Once).is_err());
    let late = within(shop.host.call(again(push(), &state, Some(YES)))).await.unwrap_err();
    assert_eq!((late.code, late.reason), (Code::PermissionDenied, Some("expired")));
    let done = other.call(again(push(), &other_state, Some(YES))).await;
    assert_eq!(done, "expired", "an answer is no better than the note");
    assert_eq!(shop.calls() + other.calls(), 0);
}

/// The program was started again in between: nobody knows what was said, and it is asked anew.
#[tokio::test(start_paused = true)]
async fn what_another_run_asked_is_asked_again() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let run = || {
        let approvals = ApprovalQueue::new(Some(Arc::clone(&store)));
        let gate = asking().server_with("git", git(), waving_poke_through);
        Shop::at(approvals, Says::Defers, gate)
    };
    let (_before, state, _) = asked(run()).await;
    let after = run();
    let required = deferred(&after, again(push(), &state, Some(YES))).await;
    assert_eq!(after.calls(), 0);
    let done = after.call(again(push(), &required.state, Some(YES))).await;
    assert_eq!(done, "done");
}

/// A policy that allows it came into force in between.
#[tokio::test(start_paused = true)]
async fn where_nobody_has_to_be_asked_any_more_a_no_counts_all_the_same() {
    let allowing = || {
        let mut config = config();
        let git = config.servers.get_mut(&id("git")).unwrap();
        git.value.approval = Some(ApprovalMode::Approve);
        config
    };
    for (filled_in, becomes) in [(Some(YES), "done"), (None, "done"), (Some(NO), "denied")] {
        let (shop, state, _) = asked(modern().with_queue()).await;
        reload(&shop, &allowing()).await;
        assert_eq!(shop.call(again(push(), &state, filled_in)).await, becomes, "{filled_in:?}");
        assert!(shop.approvals.waiting().is_empty(), "nobody is asked any more");
    }
    let (shop, state, reference) = asked(modern().with_queue()).await;
    reload(&shop, &allowing()).await;
    say_seen(&shop.approvals, &reference, ApprovalChoice::Deny).unwrap();
    assert_eq!(shop.call(again(push(), &state, Some(YES))).await, "denied", "the first one counts");
    assert_eq!(shop.calls(), 0);
    assert_eq!(shop.call(push()).await, "done", "a no is to that one call");
}

/// A grant is for calls to come; who was asked gets the answer to what they asked.
#[tokio::test(start_paused = true)]
async fn what_is_granted_meanwhile_is_no_answer_to_a_call_that_was_changed() {
    let (shop, state, reference) = asked(modern().with_queue()).await;
    say_seen(&shop.approvals, &reference, ApprovalChoice::Session).unwrap();
    let changed = push().arguments(json(r#"{"n":2}"#));
    assert_eq!(shop.call(again(changed, &state, None)).await, "expired");
    assert_eq!(shop.call(again(push(), &state, None)).await, "done");
    assert_eq!(shop.call(push()).await, "done", "and from now on it holds");
    assert_eq!(shop.person.times(), 1);
}
