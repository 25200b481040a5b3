//! What runs is what was approved: whatever changes while a call is held, it is not done.

use toolgate_host::ApprovalChoice;
use toolgate_types::config::{Config, Transport};
use toolgate_types::{Acceptances, Code, ConfigText, Digest, LayerGrade};

use super::{Says, Shop, asking, call_in, git, push, say_seen, waving_poke_through, word};
use crate::gate::{entry, id, server, within};
use crate::policy::{deny, written};
use crate::processes::process;

/// The configuration of these shops, once more.
pub(super) fn config() -> Config {
    let mut config = Config::default();
    let mut git = server(Transport::Builtin);
    waving_poke_through(&mut git);
    config.servers.insert(id("git"), entry("git", git, LayerGrade::Person));
    config
}

/// A call that is held while something happens, and approved then.
async fn approved_after(happens: impl AsyncFnOnce(&Shop)) -> (String, Shop) {
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    happens(&shop).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    let done = within(call).await.unwrap();
    if let Err(error) = &done {
        assert_eq!(shop.gate.peers.received("git", r#""name":"push""#), 0, "{error}");
    }
    (word(&done), shop)
}

pub(super) async fn reload(shop: &Shop, config: &Config) {
    within(shop.host.reload(config, &Acceptances::default(), None)).await;
}

#[tokio::test(start_paused = true)]
async fn where_nothing_changed_it_is_done() {
    let (done, shop) = approved_after(async |_| {}).await;
    assert_eq!(done, "done");
    let (done, _) = approved_after(async |shop| reload(shop, &config()).await).await;
    assert_eq!(done, "done", "the same configuration loaded again changes nothing");
    assert_eq!(shop.calls(), 1);
}

/// Shows: C18.
#[tokio::test(start_paused = true)]
async fn rug_pulls_a_tool_that_its_server_defines_otherwise_meanwhile_is_not_called() {
    let (done, shop) = approved_after(async |shop| {
        assert_eq!(shop.call(call_in(None, "poke")).await, "done");
        shop.gate.events.heard("git changed Tools").await;
    })
    .await;
    assert_eq!(done, "expired");
    // Asked again, with what it is now.
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    assert!(
        waiting.request.shown.text().contains("Sends elsewhere."),
        "{}",
        waiting.request.shown.text()
    );
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_approved_under_another_policy_is_not_made() {
    let mut other = config();
    other.policies.push(written("new", deny("unrelated")));
    let (done, _) = approved_after(async |shop| reload(shop, &other).await).await;
    assert_eq!(done, "expired", "it is asked for still, but under other rules");
    let mut denying = config();
    denying.policies.push(written("new", deny("push")));
    let (done, _) = approved_after(async |shop| reload(shop, &denying).await).await;
    assert_eq!(done, Code::NotFound.as_str(), "and what is denied by now is not there");
    let (done, _) = approved_after(async |shop| reload(shop, &Config::default()).await).await;
    assert_eq!(done, Code::NotFound.as_str(), "as what is gone");
}

#[tokio::test(start_paused = true)]
async fn the_caller_is_told_that_it_was_not_done_and_not_why() {
    let shop = Shop::of(Says::Waits).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    let mut other = config();
    other.policies.push(written("new", deny("unrelated")));
    reload(&shop, &other).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    let refused = within(call).await.unwrap().unwrap_err();
    assert_eq!(refused.code, Code::PermissionDenied);
    assert_eq!(
        refused.message,
        "this is not what was approved any more; it was not done (expired)"
    );
}

/// Real processes: what would do it is another one by now.
#[tokio::test]
async fn a_call_to_a_server_whose_command_changed_meanwhile_is_not_made() {
    let mut before = Config::default();
    before.servers.insert(id("git"), entry("git", process(&git()), LayerGrade::Person));
    let mut after = before.clone();
    let changed = after.servers.get_mut(&id("git")).unwrap();
    // As the reader of the configuration would say it.
    changed.fingerprint.entry = Digest([9; 32]);
    let Transport::Stdio(stdio) = &mut changed.value.transport else { panic!() };
    stdio.args.push(ConfigText::Plain("--elsewhere".to_owned()));
    let gate = asking().configured(|config| config.servers = before.servers.clone());
    let shop = Shop::around(Says::Waits, gate).with_queue();
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    reload(&shop, &after).await;
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "expired");
    let call = shop.begin(push());
    let waiting = shop.asked().await;
    assert!(
        waiting.request.shown.text().contains("--elsewhere"),
        "{}",
        waiting.request.shown.text()
    );
    say_seen(&shop.approvals, &waiting.reference, ApprovalChoice::Once).unwrap();
    assert_eq!(word(&within(call).await.unwrap()), "done");
    shop.host.close_all().await;
}
