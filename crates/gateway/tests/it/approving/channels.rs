//! Which channels are asked is configured, for all clients or for one by name.

use serde_json::json;
use toolgate_host::ApprovalChoice;
use toolgate_types::config::{Channel, ClientSettings, Config};

use super::{
    Person, Speaker, Way, accept, acting, answer_to, assert_asked, assert_done, assert_refused,
    forms, runs,
};
use crate::gate::{Gate, Running};

/// Two clients that are known by their tokens, each with one channel.
fn per_client(config: &mut Config) {
    for (name, channel) in [("queued", Channel::Queue), ("direct", Channel::Agent)] {
        let approval_channels = Some(vec![channel]);
        let settings = ClientSettings { approval_channels, ..ClientSettings::default() };
        config.gateway.clients.insert(name.to_owned(), settings);
    }
}

async fn gate(change: impl FnOnce(&mut Config)) -> Running {
    let gate = Gate::with("one", acting()).guarded().configured(change);
    let gate = gate.token("q", "q", None).of_client("q", "queued");
    let gate = gate.token("d", "d", None).of_client("d", "direct");
    gate.token("o", "o", None).run().await
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_client_that_is_only_for_the_queue_is_not_asked_itself() {
    for way in [Way::LegacyHttp, Way::ModernHttp] {
        let gate = gate(per_client).await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::with_token(&gate, way, forms(), "q").await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        assert_eq!(waiting.request.channels, [Channel::Queue]);
        client.heard_nothing_else().await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
        assert_eq!(runs(&gate), 1);
    }
}

/// Shows: G4, S4-20.
#[tokio::test]
async fn a_client_that_is_asked_itself_only_is_not_for_the_queue() {
    for way in [Way::LegacyHttp, Way::ModernHttp] {
        let gate = gate(per_client).await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::with_token(&gate, way, forms(), "d").await;
        client.call(1, json!({})).await;
        let asked = client.next().await;
        let waiting = person.asked().await;
        assert_eq!(waiting.request.channels, [Channel::Agent]);
        assert!(!waiting.request.is_for(Channel::Queue));
        // Nobody else is asked, so a channel that closes is a no.
        match way {
            Way::LegacyHttp => {
                assert_asked(&asked);
                client.say(answer_to(&asked, &json!({"action": "decline"}))).await;
                assert_refused(&client.answer(1).await, "denied");
            }
            _ => {
                client.retry(2, json!({}), &asked, json!({"action": "decline"})).await;
                assert_refused(&client.answer(2).await, "denied");
            }
        }
        let mut unable = Speaker::with_token(&gate, way, json!({}), "d").await;
        unable.call(1, json!({})).await;
        assert_refused(&unable.answer(1).await, "no_channel");
        assert_eq!(runs(&gate), 0);
    }
}

/// Shows: G4.
#[tokio::test]
async fn the_channels_of_all_clients_hold_where_one_has_none_of_its_own() {
    let only_queue = |config: &mut Config| {
        per_client(config);
        config.approval.channels = vec![Channel::Queue];
    };
    let gate = gate(only_queue).await;
    let mut person = Person::who_only_watches(&gate);
    let mut other = Speaker::with_token(&gate, Way::LegacyHttp, forms(), "o").await;
    other.call(1, json!({})).await;
    assert_refused(&other.answer(1).await, "no_channel");
    gate.approvals.open_queue();
    other.call(2, json!({})).await;
    let waiting = person.asked().await;
    assert_eq!(waiting.request.channels, [Channel::Queue]);
    person.answers(&waiting, ApprovalChoice::Once).unwrap();
    assert_done(&other.answer(2).await);
    assert_eq!(runs(&gate), 1);
    // A client's own take some of them away, and add none.
    let mut direct = Speaker::with_token(&gate, Way::LegacyHttp, forms(), "d").await;
    direct.call(3, json!({})).await;
    assert_refused(&direct.answer(3).await, "no_channel");
}

/// A client may be whoever it says it is.
///
/// Shows: G4.
#[tokio::test]
async fn a_client_opens_no_channel_by_what_it_calls_itself() {
    let of_others = |config: &mut Config| {
        config.approval.channels = vec![Channel::Queue];
        for name in ["test", "speaker"] {
            let approval_channels = Some(vec![Channel::Agent, Channel::Queue]);
            let settings = ClientSettings { approval_channels, ..ClientSettings::default() };
            config.gateway.clients.insert(name.to_owned(), settings);
        }
    };
    let gate = gate(of_others).await;
    let mut person = Person::at_the_queue(&gate);
    for way in [Way::LegacyHttp, Way::ModernHttp] {
        let mut client = Speaker::with_token(&gate, way, forms(), "o").await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        assert_eq!(waiting.request.channels, [Channel::Queue]);
        client.heard_nothing_else().await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
    }
}

/// What a client says that it can do is its own word; that a person sees it is a person's.
#[tokio::test]
async fn a_client_whose_token_was_not_made_for_forms_is_not_asked_itself() {
    for way in [Way::LegacyHttp, Way::ModernHttp] {
        let gate = Gate::with("one", acting()).guarded().token("t", "t", None).without_forms("t");
        let gate = gate.run().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::with_token(&gate, way, forms(), "t").await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        client.heard_nothing_else().await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
    }
}

#[tokio::test]
async fn nor_is_one_whose_process_nobody_knows() {
    for way in Way::ALL {
        let gate = super::gate().await;
        gate.events.are_strangers();
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let waiting = person.asked().await;
        client.heard_nothing_else().await;
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(1).await);
    }
}

/// It was one that may be asked when it was told the question.
#[tokio::test]
async fn an_answer_of_one_that_may_not_be_asked_any_more_counts_for_nothing() {
    for way in Way::MODERN {
        let gate = super::gate().await;
        let mut person = Person::at_the_queue(&gate);
        let mut client = Speaker::open(&gate, way, forms()).await;
        client.call(1, json!({})).await;
        let (asked, waiting) = (client.next().await, person.asked().await);
        gate.events.are_strangers();
        client.retry(2, json!({}), &asked, accept("once")).await;
        client.heard_nothing_else().await;
        assert_eq!(runs(&gate), 0);
        person.answers(&waiting, ApprovalChoice::Once).unwrap();
        assert_done(&client.answer(2).await);
    }
}

/// Whoever has no token costs no look, and whoever has one is known before it has its first answer.
#[tokio::test]
async fn a_connection_is_looked_at_where_its_caller_is_known() {
    let gate = Gate::with("one", acting()).guarded().token("t", "t", None).run().await;
    let looked = "looked at a connection";
    let stranger = gate.client();
    let _ = stranger.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(gate.events.count(looked), 0);
    Speaker::with_token(&gate, Way::LegacyHttp, forms(), "t").await;
    assert!(gate.events.count(looked) >= 1);
}
