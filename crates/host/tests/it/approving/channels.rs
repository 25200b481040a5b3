//! Who is asked, who answers first, and what counts as an answer.

use tokio::time::Instant;
use toolgate_host::{ApprovalChoice, NotWaiting, Verdict};
use toolgate_types::config::{Channel, ClientSettings};
use toolgate_types::{Code, Outcome};

use super::{
    DENY, ONCE, PATIENCE, SESSION, Says, Shop, asking, call_in, git, push, queue, say_seen,
    waving_poke_through, word,
};
use crate::gate::{Gate, json, within};

/// Shows: S3-20, S3-26, S1-81.
#[tokio::test(start_paused = true)]
async fn what_is_approved_once_runs_once_and_the_next_call_is_asked_for_again() {
    let shop = Shop::of(ONCE);
    for times in 1..=3 {
        assert_eq!(shop.call(push()).await, "done");
        assert_eq!((shop.person.times(), shop.calls()), (times, times));
    }
    shop.person.says(DENY);
    assert_eq!(shop.call(push()).await, "denied");
    assert_eq!(shop.calls(), 3);
    assert!(shop.desk.waiting().is_empty());
}

#[tokio::test(start_paused = true)]
async fn who_is_denied_is_told_so_and_what_the_person_said_with_nothing_hidden_in_it() {
    let shop = Shop::of(DENY).with_queue();
    let refused = within(shop.host.call(push())).await.unwrap_err();
    assert_eq!((refused.code, refused.reason), (Code::PermissionDenied, Some("denied")));
    assert_eq!(refused.message, "the user declined this (denied)");
    shop.person.says(Says::Waits);
    let call = shop.begin(push());
    let _ = shop.asked().await;
    let reference = shop.asked().await.reference;
    let reason = Some(format!("use a branch\u{202e}{}", "!".repeat(400)));
    shop.desk.answer(&reference, Verdict { reason, ..queue(ApprovalChoice::Deny) }).unwrap();
    let refused = within(call).await.unwrap().unwrap_err();
    let start = "the user declined this (denied): use a branch\\u{202e}!!!";
    assert!(refused.message.starts_with(start), "{}", refused.message);
    assert!(refused.message.len() < 400, "{}", refused.message);
    assert_eq!(shop.calls(), 0);
}

/// What says nothing: a client may accept an empty form, or decline it, all by itself.
const NOTHING: [Says; 7] = [
    Says::Fills(r#"{"action":"accept"}"#),
    Says::Fills(r#"{"action":"accept","content":{}}"#),
    Says::Fills(r#"{"action":"accept","content":{"decision":"maybe"}}"#),
    Says::Fills(r#"{"action":"decline"}"#),
    Says::Fills(r#"{"action":"decline","content":{"decision":"once"}}"#),
    Says::Fills(r#"{"action":"cancel"}"#),
    Says::Fills("null"),
];

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn a_form_without_a_decision_approves_nothing_and_alone_is_a_no() {
    for says in NOTHING {
        let shop = Shop::of(says);
        assert_eq!(shop.call(push()).await, "denied", "{says:?}");
        assert_eq!(shop.calls(), 0, "{says:?}");
        assert!(shop.desk.waiting().is_empty());
    }
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn a_form_without_a_decision_closes_only_its_own_channel() {
    let others = [Says::NoChannel, Says::Refuses];
    for says in NOTHING.into_iter().chain(others) {
        for (choice, becomes) in [(ApprovalChoice::Once, "done"), (ApprovalChoice::Deny, "denied")]
        {
            let shop = Shop::of(says).with_queue();
            let call = shop.begin(push());
            let waiting = shop.asked().await;
            shop.person.shown(1).await;
            // The form has come back long before a person looks.
            tokio::time::sleep(PATIENCE / 2).await;
            assert_eq!(shop.desk.waiting().len(), 1, "{says:?}");
            say_seen(&shop.desk, &waiting.reference, choice).unwrap();
            assert_eq!(word(&within(call).await.unwrap()), becomes, "{says:?}");
            assert_eq!(shop.person.times(), 1, "it is not shown twice");
        }
    }
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_it_is_refused_and_says_so() {
    for says in [Says::NoChannel, Says::Refuses] {
        let shop = Shop::of(says);
        let refused = within(shop.host.call(push())).await.unwrap_err();
        assert_eq!((refused.code, refused.reason), (Code::PermissionDenied, Some("no_channel")));
        assert!(shop.desk.waiting().is_empty());
        assert_eq!(shop.calls(), 0);
    }
}

/// Whoever embeds the library and gives it nothing is where it was.
#[tokio::test(start_paused = true)]
async fn a_host_without_a_store_an_asker_or_a_desk_refuses_what_needs_a_person() {
    let gate = Gate::guarded(toolgate_host::Guard::default())
        .server_with("git", git(), waving_poke_through)
        .run();
    assert_eq!(word(&within(gate.host.call(push())).await), "no_channel");
    assert_eq!(word(&within(gate.host.call(call_in(None, "poke"))).await), "done");
    let tools = within(gate.host.tools()).await;
    let tool = tools.iter().find(|tool| tool.name().contains("push")).unwrap();
    let refused = within(tool.call(json("{}"))).await.unwrap_err();
    assert_eq!((refused.code, refused.reason), (Code::PermissionDenied, Some("no_channel")));
    assert_eq!(gate.peers.received("git", r#""tools/call""#), 1);
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn what_nobody_answers_expires_in_time() {
    for shop in [Shop::of(Says::Waits), Shop::of(Says::Waits).with_queue()] {
        shop.host.list_tools(&toolgate_host::Audience::MODEL).await;
        let begun = Instant::now();
        let refused = within(shop.host.call(push())).await.unwrap_err();
        assert_eq!((refused.code, refused.reason), (Code::PermissionDenied, Some("expired")));
        assert_eq!(begun.elapsed(), PATIENCE);
        shop.person.missed(1).await;
        assert!(shop.desk.waiting().is_empty());
        assert_eq!(shop.calls(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_faster_channel_counts_and_the_slower_one_is_taken_away() {
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    shop.person.shown(1).await;
    say_seen(&shop.desk, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    assert_eq!(*shop.person.dropped.borrow(), 1, "nobody needs its form any more");
    shop.person.says(DENY);
    assert_eq!(shop.call(push()).await, "denied");
    let late = say_seen(&shop.desk, &shop.asked().await.reference, ApprovalChoice::Once);
    assert_eq!(late, Err(NotWaiting::Answered));
    assert_eq!(shop.calls(), 1);
}

fn only(channels: &[Channel], of_codex: Option<&[Channel]>) -> Gate {
    asking().server("git", git()).configured(|config| {
        config.approval.channels = channels.to_vec();
        let approval_channels = of_codex.map(<[Channel]>::to_vec);
        let settings = ClientSettings { approval_channels, ..ClientSettings::default() };
        config.gateway.clients.insert("codex".to_owned(), settings);
    })
}

#[tokio::test(start_paused = true)]
async fn only_the_configured_channels_of_a_client_are_asked() {
    use Channel::{Agent, Desktop, Queue};
    let all = &[Agent, Queue, Desktop][..];
    // A client that is not asked itself: the queue alone decides.
    let shop = Shop::around(ONCE, only(all, Some(&[Queue]))).with_queue();
    let call = shop.begin(push());
    shop.answer(ApprovalChoice::Deny).await;
    assert_eq!(word(&within(call).await.unwrap()), "denied");
    assert_eq!(shop.person.times(), 0);
    // One that is asked alone: nobody in the queue has a say.
    let shop = Shop::around(Says::Fills("null"), only(all, Some(&[Agent]))).with_queue();
    assert_eq!(shop.call(push()).await, "denied");
    // What is closed to all is opened by no client's name.
    let shop = Shop::around(ONCE, only(&[Queue], Some(&[Agent]))).with_queue();
    assert_eq!(shop.call(push()).await, "no_channel");
    let shop = Shop::around(ONCE, only(&[Agent], None)).with_queue();
    assert_eq!(shop.call(push()).await, "done");
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn the_form_offers_what_can_be_kept_and_has_no_default() {
    let shop = Shop::of(ONCE);
    shop.call(call_in(Some("s"), "push")).await;
    shop.call(call_in(None, "push")).await;
    let forms = shop.person.forms.borrow().clone();
    let offered = |form: &str| {
        let form: serde_json::Value = serde_json::from_str(form).unwrap();
        let decision = &form["requestedSchema"]["properties"]["decision"];
        assert!(decision.get("default").is_none(), "{form}");
        assert_eq!(form["requestedSchema"]["required"][0], "decision");
        decision["enum"].to_string()
    };
    assert_eq!(offered(&forms[0]), r#"["once","session","deny"]"#);
    assert_eq!(offered(&forms[1]), r#"["once","deny"]"#, "where there is no session");
    shop.person.says(SESSION);
    assert_eq!(shop.call(call_in(None, "push")).await, "denied", "that was not offered");
}

/// The result is the server's, whoever was asked before.
#[tokio::test(start_paused = true)]
async fn what_runs_has_the_bytes_that_came() {
    let shop = Shop::of(ONCE);
    let Outcome::Done(done) = within(shop.host.call(push())).await.unwrap() else { panic!() };
    assert!(done.result.get().contains("pushed 1.5"), "{}", done.result);
    let sent = within(shop.gate.peers.last("git").received(r#""tools/call""#)).await;
    assert!(sent.contains(r#""arguments":{"n":1.50}"#), "{sent}");
}
