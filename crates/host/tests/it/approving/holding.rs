//! While a call is held: signs of life, nothing that a model could run, and no server's time.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use toolgate_host::{ApprovalChoice, Call, CallOptions, ServerRemark};
use toolgate_testkit::{Act, Script};
use toolgate_types::{Milliseconds, OperationOutcome, QuietReceiver, quiet_queue};

use super::{ONCE, Says, Shop, asking, push, say_seen, word};
use crate::gate::{list, within};

fn with_progress(call: Call) -> (Call, QuietReceiver<ServerRemark>) {
    let (progress, reports) = quiet_queue(100);
    let options = CallOptions { remarks: Some(progress), ..call.options.clone() };
    (call.options(options), reports)
}

fn all(reports: &mut QuietReceiver<ServerRemark>) -> Vec<serde_json::Value> {
    let mut all = Vec::new();
    while let Some(report) = reports.try_recv() {
        all.push(serde_json::from_str(report.raw().get()).unwrap());
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_sign_of_life_goes_out_every_ten_seconds_and_names_no_command() {
    let shop = Shop::of(Says::Waits).with_queue();
    let (call, mut reports) = with_progress(push());
    let call = shop.begin(call);
    let waiting = shop.asked().await;
    let mut signs = Vec::new();
    for expected in [1, 1, 1, 1] {
        sleep(Duration::from_secs(9)).await;
        let new = all(&mut reports);
        assert_eq!(new.len(), expected, "{signs:?} {new:?}");
        signs.extend(new);
        sleep(Duration::from_secs(1)).await;
    }
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    signs.extend(all(&mut reports));
    let message = format!("waiting for the user (ref {})", waiting.reference);
    let mut before = 0.0;
    for sign in &signs {
        assert_eq!(sign["message"], message, "and nothing else: {sign}");
        let progress = sign["progress"].as_f64().unwrap();
        assert!(progress > before && progress < 1.0, "it rises, below what a server reports");
        before = progress;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_answered_at_once_gives_no_sign_and_neither_does_what_was_not_asked_for() {
    let shop = Shop::of(ONCE);
    let (call, mut reports) = with_progress(push());
    assert_eq!(shop.call(call).await, "done");
    assert!(all(&mut reports).is_empty());
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    sleep(Duration::from_secs(30)).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
}

/// A server that takes its time, of which it has a second.
fn slow(takes: &str) -> Shop {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["push"]))])
        .on_call("push", [Act::hold(takes), Act::say("done")]);
    let gate = asking().server_with("git", script, |server| {
        server.timeouts.tool = Milliseconds::at_least_one(1_000);
    });
    Shop::around(Says::Waits, gate).with_queue()
}

#[tokio::test(start_paused = true)]
async fn a_persons_time_is_not_the_servers() {
    let shop = slow("the test");
    let within_a_second = Some(Duration::from_secs(1));
    let call =
        Call { options: CallOptions { within: within_a_second, ..push().options }, ..push() };
    let call = shop.begin(call);
    let waiting = shop.asked().await;
    sleep(Duration::from_secs(50)).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    let peer = shop.gate.peers.last("git");
    within(peer.received(r#""tools/call""#)).await;
    sleep(Duration::from_millis(900)).await;
    peer.signal("the test");
    let OperationOutcome::Done(done) = within(call).await.unwrap().unwrap() else { panic!() };
    assert!(done.result.get().contains("done"));
}

#[tokio::test(start_paused = true)]
async fn the_servers_own_time_begins_when_it_is_called() {
    let shop = slow("nobody");
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    sleep(Duration::from_secs(50)).await;
    let answered = tokio::time::Instant::now();
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "deadline_exceeded");
    assert_eq!(answered.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_waits_no_longer_gives_the_call_up() {
    let shop = Shop::of(Says::Waits).with_queue();
    let deadline = Some(Duration::from_secs(20));
    let call = Call { options: CallOptions { deadline, ..push().options }, ..push() };
    assert_eq!(shop.call(call).await, "deadline_exceeded");
    assert!(shop.approvals.waiting().is_empty());
    shop.person.missed(1).await;
    let mut call = push();
    let cancel = call.options.cancel.insert(CancellationToken::new()).clone();
    let call = shop.begin(call);
    shop.person.shown(2).await;
    cancel.cancel();
    assert_eq!(word(&within(call).await.unwrap()), "cancelled");
    assert!(shop.approvals.waiting().is_empty());
    assert_eq!(shop.calls(), 0);
}
