//! A server that is started by a call: what was kept of its last run lists it, and decides nothing.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use toolgate_testkit::{Act, Script};
use toolgate_types::{OperationOutcome, ServerState};

use super::{TOOL, approved, call_of, has_all, in_turn, kept_in, listed, with};
use crate::approving::{DENY, ONCE, Says, Shop, asking};
use crate::gate::{peer_path, stdio, within};

/// A process that can be another one at its next start, as after an update of its package.
struct House {
    state: TempDir,
    place: TempDir,
}

impl House {
    fn new(script: &Script) -> Self {
        let house =
            Self { state: tempfile::tempdir().unwrap(), place: tempfile::tempdir().unwrap() };
        house.play(script);
        house
    }

    fn script(&self) -> PathBuf {
        self.place.path().join("script.json")
    }

    fn play(&self, script: &Script) {
        fs::write(self.script(), script.to_argument()).unwrap();
    }

    /// A host as the next program has it.
    fn shop(&self, says: Says) -> Shop {
        let (peer, script) = (peer_path(), self.script());
        let command = format!(r#"exec "{}" "$(/bin/cat "{}")""#, peer.display(), script.display());
        let gate = kept_in(asking(), &self.state);
        Shop::around(says, gate.entry("files", stdio("/bin/sh", &["-c", &command]), approved))
    }
}

/// A server with these tools, and with one that tells what it was asked for.
fn telling(tools: &[&str]) -> Script {
    let seen = r#"{"content":[],"structuredContent":{"seen":${seen}}}"#;
    let tools = [tools, &[r#"{"name":"seen"}"#]].concat();
    in_turn(&[&tools]).on_call("seen", [Act::answer(seen)])
}

/// How often the running server was called, but for this.
async fn calls(shop: &Shop) -> usize {
    let OperationOutcome::Done(done) = within(shop.host.call(call_of("seen"))).await.unwrap()
    else {
        panic!("it asks for nothing")
    };
    let seen: serde_json::Value = serde_json::from_str(done.result.get()).unwrap();
    let seen = seen["structuredContent"]["seen"].as_array().unwrap().clone();
    seen.iter().filter(|message| message["method"] == "tools/call").count() - 1
}

/// Shows: E-6, P11-11.
#[tokio::test]
async fn rug_pulls_a_call_that_starts_the_server_is_decided_by_its_live_list() {
    let house = House::new(&telling(&[TOOL]));
    let first = house.shop(DENY);
    assert_eq!(first.call(call_of("read")).await, "done");
    first.host.close_all().await;
    let changed = with(r#""readOnlyHint":true"#, r#""readOnlyHint":false"#);
    house.play(&telling(&[&changed]));
    let second = house.shop(DENY);
    assert!(listed(&second).await.contains(&TOOL.to_owned()));
    assert_eq!(second.gate.state("files"), ServerState::Idle, "and nothing was started for it");
    assert_eq!(second.call(call_of("read")).await, "denied");
    let text = second.asked().await.request.shown.text().to_owned();
    has_all(&text, &["  | danger\n", "annotations.readOnlyHint (danger)", "- true", "+ false"]);
    assert_eq!((second.gate.state("files"), calls(&second).await), (ServerState::Ready, 0));
    second.person.says(ONCE);
    assert_eq!(second.call(call_of("read")).await, "done");
    assert_eq!(calls(&second).await, 2, "the first was the one who counts");
    second.host.close_all().await;
    // A third program knows of it before anything runs, and lists what was accepted.
    let third = house.shop(DENY);
    assert!(listed(&third).await.contains(&TOOL.to_owned()));
    assert_eq!(third.gate.state("files"), ServerState::Idle);
    assert_eq!(third.call(call_of("read")).await, "denied");
    third.host.close_all().await;
}

#[tokio::test]
async fn what_the_server_does_not_have_any_more_is_not_called() {
    let house = House::new(&telling(&[TOOL]));
    let first = house.shop(DENY);
    assert_eq!(first.call(call_of("read")).await, "done");
    first.host.close_all().await;
    house.play(&telling(&[]));
    let second = house.shop(DENY);
    assert!(listed(&second).await.contains(&TOOL.to_owned()));
    assert_eq!(second.call(call_of("read")).await, "not_found");
    assert_eq!(calls(&second).await, 0);
    second.host.close_all().await;
}

#[tokio::test]
async fn what_is_as_it_was_runs_unasked() {
    let house = House::new(&telling(&[TOOL]));
    for _ in 0..2 {
        let shop = house.shop(DENY);
        assert_eq!(shop.call(call_of("read")).await, "done");
        assert_eq!(shop.person.times(), 0);
        shop.host.close_all().await;
    }
}
