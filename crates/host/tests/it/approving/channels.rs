//! Who is asked, who answers first, and what counts as an answer.

use std::time::Duration;

use tokio::time::Instant;
use toolgate_host::{ApprovalChoice, ApprovalVerdict, NotWaiting};
use toolgate_testkit::Script;
use toolgate_types::config::{Channel, ClientSettings};
use toolgate_types::{ApprovalReply, Code, Milliseconds, OperationOutcome, Principal, SessionId};

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
    assert!(shop.approvals.waiting().is_empty());
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
    shop.approvals
        .answer(&reference, ApprovalVerdict { reason, ..queue(ApprovalChoice::Deny) })
        .unwrap();
    let refused = within(call).await.unwrap().unwrap_err();
    let start = "the user declined this (denied): use a branch\\u{202e}!!!";
    assert!(refused.message.starts_with(start), "{}", refused.message);
    assert!(refused.message.len() < 400, "{}", refused.message);
    assert_eq!(shop.calls(), 0);
}

/// What says nothing: it was closed.
const NOTHING: [Says; 1] = [Says::Closes];

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn an_answer_without_a_decision_approves_nothing_and_alone_is_a_no() {
    for says in NOTHING {
        let shop = Shop::of(says);
        assert_eq!(shop.call(push()).await, "denied", "{says:?}");
        assert_eq!(shop.calls(), 0, "{says:?}");
        assert!(shop.approvals.waiting().is_empty());
    }
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn an_answer_without_a_decision_closes_only_its_own_channel() {
    for says in NOTHING.into_iter().chain([Says::NoChannel]) {
        for (choice, becomes) in [(ApprovalChoice::Once, "done"), (ApprovalChoice::Deny, "denied")]
        {
            let shop = Shop::of(says).with_queue();
            let call = shop.begin(push());
            let waiting = shop.asked().await;
            shop.person.shown(1).await;
            // The form has come back long before a person looks.
            tokio::time::sleep(PATIENCE / 2).await;
            assert_eq!(shop.approvals.waiting().len(), 1, "{says:?}");
            say_seen(&shop.approvals, &waiting.reference, choice).unwrap();
            assert_eq!(word(&within(call).await.unwrap()), becomes, "{says:?}");
            assert_eq!(shop.person.times(), 1, "it is not shown twice");
        }
    }
}

/// Shows: G4.
#[tokio::test(start_paused = true)]
async fn where_nobody_can_be_asked_it_is_refused_and_says_so() {
    for says in [Says::NoChannel] {
        let shop = Shop::of(says);
        let refused = within(shop.host.call(push())).await.unwrap_err();
        assert_eq!((refused.code, refused.reason), (Code::PermissionDenied, Some("no_channel")));
        assert!(shop.approvals.waiting().is_empty());
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
        assert!(shop.approvals.waiting().is_empty());
        assert_eq!(shop.calls(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn the_faster_channel_counts_and_the_slower_one_is_taken_away() {
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    shop.person.shown(1).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    assert_eq!(*shop.person.dropped.borrow(), 1, "nobody needs its form any more");
    shop.person.says(DENY);
    assert_eq!(shop.call(push()).await, "denied");
    let late = say_seen(&shop.approvals, &shop.asked().await.reference, ApprovalChoice::Once);
    assert_eq!(late, Err(NotWaiting::Answered));
    assert_eq!(shop.calls(), 1);
}

/// A server that is slow to start: its call was approved, and its first byte is still to come.
#[tokio::test(start_paused = true)]
async fn a_no_wins_while_an_approved_call_waits_for_its_server() {
    for through_form in [true, false] {
        // While the call is held its server is stopped, and then does not come up.
        let hangs = Script::legacy().on("initialize", []);
        let gate = asking().scripts("git", vec![git(), hangs], |server| {
            server.idle_timeout = Milliseconds::at_least_one(1_000);
        });
        let shop = Shop::around(Says::Waits, gate).with_queue();
        let call = shop.begin(push());
        let waiting = shop.asked().await;
        shop.person.shown(1).await;
        shop.gate.events.heard("git is idle").await;
        say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Session).unwrap();
        shop.gate.events.heard_times("git is connecting", 2).await;
        assert!(!call.is_finished());
        match through_form {
            true => shop.person.press(ApprovalReply::Said(ApprovalChoice::Deny)),
            false => {
                shop.approvals.answer(&waiting.reference, queue(ApprovalChoice::Deny)).unwrap();
            }
        }
        assert_eq!(
            word(&within(call).await.unwrap()),
            "denied",
            "through its form: {through_form}"
        );
        assert_eq!(shop.calls(), 0);
        let principal = Principal::named("ada");
        assert!(shop.approvals.grants(&principal, &SessionId("s".to_owned())).is_empty());
    }
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
    let shop = Shop::around(Says::Closes, only(all, Some(&[Agent]))).with_queue();
    assert_eq!(shop.call(push()).await, "denied");
    // What is closed to all is opened by no client's name.
    let shop = Shop::around(ONCE, only(&[Queue], Some(&[Agent]))).with_queue();
    assert_eq!(shop.call(push()).await, "no_channel");
    let shop = Shop::around(ONCE, only(&[Agent], None)).with_queue();
    assert_eq!(shop.call(push()).await, "done");
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn what_can_be_kept_is_offered_and_nothing_else_counts() {
    let shop = Shop::of(ONCE);
    shop.call(call_in(Some("s"), "push")).await;
    shop.call(call_in(None, "push")).await;
    let forms = shop.person.forms.borrow().clone();
    assert_eq!(forms[0].choices, ApprovalChoice::ALL);
    let without = [ApprovalChoice::Once, ApprovalChoice::Deny];
    assert_eq!(forms[1].choices, without, "where there is no session");
    shop.person.says(SESSION);
    assert_eq!(shop.call(call_in(None, "push")).await, "denied", "that was not offered");
}

/// The result is the server's, whoever was asked before.
#[tokio::test(start_paused = true)]
async fn what_runs_has_the_bytes_that_came() {
    let shop = Shop::of(ONCE);
    let OperationOutcome::Done(done) = within(shop.host.call(push())).await.unwrap() else {
        panic!()
    };
    assert!(done.result.get().contains("pushed 1.5"), "{}", done.result);
    let sent = within(shop.gate.peers.last("git").received(r#""tools/call""#)).await;
    assert!(sent.contains(r#""arguments":{"n":1.50}"#), "{sent}");
}

/// With a person whom it takes a moment to read.
fn read_by_people() -> Gate {
    let gate = asking().server_with("git", git(), waving_poke_through);
    gate.configured(|config| config.approval.fastest_answer = FASTEST)
}

const FASTEST: Duration = Duration::from_millis(250);

#[tokio::test(start_paused = true)]
async fn esc_and_decline_are_a_no_though_others_could_answer() {
    for after in [FASTEST, PATIENCE / 2] {
        for no in [ApprovalReply::Declined, ApprovalReply::Said(ApprovalChoice::Deny)] {
            let shop = Shop::around(Says::Waits, read_by_people()).with_queue();
            let call = shop.begin(push());
            shop.person.shown(1).await;
            tokio::time::sleep(after).await;
            shop.person.press(no);
            assert_eq!(word(&within(call).await.unwrap()), "denied", "{no:?} after {after:?}");
            assert_eq!(shop.calls(), 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_faster_than_a_person_can_read_closes_only_its_channel_whatever_it_says() {
    let fast = [
        ApprovalReply::Declined,
        ApprovalReply::Nothing,
        ApprovalReply::Said(ApprovalChoice::Deny),
        ApprovalReply::Said(ApprovalChoice::Once),
        ApprovalReply::Said(ApprovalChoice::Session),
    ];
    for reply in fast {
        let shop = Shop::around(Says::Waits, read_by_people()).with_queue();
        let call = shop.begin(push());
        let waiting = shop.asked().await;
        shop.person.shown(1).await;
        tokio::time::sleep(FASTEST - Duration::from_millis(1)).await;
        shop.person.press(reply);
        tokio::time::sleep(PATIENCE / 2).await;
        assert_eq!((call.is_finished(), shop.calls()), (false, 0), "{reply:?}");
        say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
        assert_eq!(word(&within(call).await.unwrap()), "done", "{reply:?}");
        // Alone, it is as if there were nobody.
        let shop = Shop::around(Says::Waits, read_by_people());
        shop.person.press(reply);
        assert_eq!(shop.call(push()).await, "no_channel", "{reply:?}");
        assert_eq!(shop.calls(), 0);
    }
}

/// Its form was answered by a machine, and nobody is there.
#[tokio::test(start_paused = true)]
async fn where_no_person_can_be_reached_a_call_waits_ten_seconds_and_says_what_to_start() {
    for says in [Says::Waits, Says::NoChannel] {
        let shop = Shop::around(says, read_by_people());
        shop.approvals.open_queue();
        shop.person.press(ApprovalReply::Declined);
        shop.host.list_tools(&toolgate_host::Audience::MODEL).await;
        let begun = Instant::now();
        let refused = within(shop.host.call(push())).await.unwrap_err();
        assert_eq!(begun.elapsed(), Duration::from_secs(10), "{says:?}");
        assert_eq!(refused.reason, Some("no_channel"));
        assert!(refused.message.contains("watch of waiting calls"), "{}", refused.message);
        assert!(!refused.message.contains("toolgate "), "no command: {}", refused.message);
        assert_eq!(shop.calls(), 0);
        assert!(shop.approvals.waiting().is_empty());
        // Whoever came meanwhile is there, and is waited for.
        let call = shop.begin(push());
        tokio::time::sleep(Duration::from_secs(9)).await;
        let watched = shop.approvals.watched();
        tokio::time::sleep(PATIENCE / 2).await;
        drop(watched);
        shop.asked().await;
        let waiting = shop.asked().await;
        say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
        assert_eq!(word(&within(call).await.unwrap()), "done");
    }
    // A form that is open may be looked at.
    let shop = Shop::around(Says::Waits, read_by_people());
    shop.approvals.open_queue();
    assert_eq!(shop.call(push()).await, "expired");
    // And so may a desktop.
    let shop = Shop::around(Says::NoChannel, read_by_people());
    shop.approvals.open_desktop();
    assert_eq!(shop.call(push()).await, "expired");
}
