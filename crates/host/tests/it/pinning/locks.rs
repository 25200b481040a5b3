//! What a project's `toolgate.lock` says of tools: it makes them ask, and nothing ask less.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use toolgate_host::Administrator;
use toolgate_types::config::{ApprovalMode, Config, Server};
use toolgate_types::{Acceptances, Digest, LayerGrade, Pattern, ProjectLock, ServerState, Trust};

use super::{Office, TOOL, approved, call_of, has_all, listed, with};
use crate::approving::{DENY, ONCE, SESSION, Says, Shop, asking};
use crate::gate::{entry, id, remote, server, stdio, tools, within};

const UNLIKE: &str = "Asked because: its definition is not the one in `toolgate.lock`";

fn hash(definition: &str) -> Digest {
    Digest(Sha256::digest(definition).into())
}

/// A lock that has these tools of one server.
fn names(server: &str, tools: &[(&str, &str)]) -> ProjectLock {
    let tools = tools.iter().map(|(name, definition)| ((*name).to_owned(), hash(definition)));
    ProjectLock::Names(BTreeMap::from([(server.to_owned(), tools.collect())]))
}

async fn locked(says: Says, lock: ProjectLock, lists: &[&[&str]]) -> Office {
    Office::with(says, lists, approved, |config| config.lock = lock).await
}

/// Shows: P11-11.
#[tokio::test]
async fn what_agrees_is_not_asked_for_and_what_differs_or_is_not_there_is() {
    let other = with(r#""name":"read""#, r#""name":"write""#);
    let older = with("Reads a file.", "Reads.");
    let lists: &[&[&str]] = &[&[TOOL, &other]];
    let both = [("read", TOOL), ("write", &other)];
    let cases = [
        (ProjectLock::Absent, ["done", "done"]),
        (names("files", &both), ["done", "done"]),
        (names("elsewhere", &[("read", &older)]), ["done", "done"]),
        (names("files", &[("read", TOOL), ("write", &older)]), ["done", "denied"]),
        (names("files", &[("read", TOOL)]), ["done", "denied"]),
        (names("files", &[]), ["denied", "denied"]),
        (ProjectLock::Unreadable, ["denied", "denied"]),
    ];
    for (lock, expected) in cases {
        let office = locked(DENY, lock.clone(), lists).await;
        let mut done = 0;
        for (tool, expected) in ["read", "write"].into_iter().zip(expected) {
            match expected {
                "done" => {
                    assert_eq!(office.call(tool).await, "done", "{lock:?}");
                    done += 1;
                }
                _ => {
                    let (text, came) = office.asked(tool).await;
                    assert_eq!(came, expected, "{lock:?}");
                    has_all(&text, &[UNLIKE]);
                }
            }
        }
        assert_eq!(office.calls(), done, "{lock:?}");
        assert_eq!(office.times(), 2 - done, "{lock:?}");
    }
}

#[tokio::test]
async fn a_person_may_approve_what_differs_once_or_for_the_session() {
    let office = locked(ONCE, names("files", &[]), &[&[TOOL]]).await;
    for _ in 0..2 {
        assert_eq!(office.asked("read").await.1, "done");
    }
    office.shop.person.says(SESSION);
    assert_eq!(office.asked("read").await.1, "done");
    assert_eq!(office.call("read").await, "done");
    assert_eq!((office.times(), office.calls()), (3, 4));
}

/// Whoever writes the lock knows what the server will send: it accepts nothing by that.
#[tokio::test]
async fn a_lock_that_names_what_the_server_sends_now_does_not_accept_it() {
    let changed = with("Reads a file.", "Reads it all.");
    let lock = names("files", &[("read", &changed)]);
    let office = locked(DENY, lock, &[&[TOOL], &[&changed]]).await;
    let (text, _) = office.asked("read").await;
    has_all(&text, &[UNLIKE]);
    office.changes().await;
    let (text, came) = office.asked("read").await;
    has_all(&text, &["its definition is not the one that was accepted", "+ Reads it all."]);
    assert_eq!((came.as_str(), office.calls()), ("denied", 0));
    office.accepts(&["read"], false).await;
    assert_eq!(office.call("read").await, "done", "now both say so");
}

#[tokio::test]
async fn nothing_asks_less_for_being_in_a_lock() {
    let lock = || names("files", &[("read", TOOL)]);
    let prompting = |server: &mut Server| server.approval = Some(ApprovalMode::Prompt);
    let office = Office::with(DENY, &[&[TOOL]], prompting, |config| config.lock = lock()).await;
    let (text, came) = office.asked("read").await;
    assert_eq!(came, "denied");
    has_all(&text, &["Asked because: `approval = \"prompt\"` of the server"]);

    let untrusted = |server: &mut Server| {
        approved(server);
        server.declared_trust = Some(Trust::Untrusted);
    };
    let office = Office::with(ONCE, &[&[TOOL]], untrusted, |config| config.lock = lock()).await;
    assert_eq!(office.names().await, [""; 0]);
    assert_eq!(office.call("read").await, "not_found");
    office.accepts(&["read"], true).await;
    assert_eq!(office.asked("read").await.1, "done");
    assert_eq!(office.asked("read").await.1, "done", "each time");
}

#[tokio::test]
async fn what_is_pending_stays_so_and_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let touch = format!("touch {}", started.display());
    let gate = asking()
        .pending("files", stdio("/bin/sh", &["-c", &touch]))
        .configured(|config| config.lock = names("files", &[("read", TOOL)]));
    let shop = Shop::around(ONCE, gate);
    assert_eq!(listed(&shop).await, [""; 0]);
    assert_eq!(shop.call(call_of("read")).await, "not_found");
    assert_eq!((shop.gate.state("files"), started.exists()), (ServerState::Pending, false));
}

/// What the administrator wants asked each time is not kept for a session because a lock says more.
#[tokio::test]
async fn what_is_asked_each_time_is_so_with_a_lock_too() {
    let forced = Administrator {
        force_approval: vec![Pattern::parse("read").unwrap()],
        ..Administrator::default()
    };
    let gate = asking().server_with("files", tools(&["read"]), approved).configured(|config| {
        config.lock = ProjectLock::Unreadable;
    });
    let shop = Shop::around(SESSION, gate.building(|host| host.administrator(forced)));
    for times in 1..=2 {
        assert_eq!(shop.call(call_of("read")).await, "denied", "that choice was not offered");
        assert_eq!(shop.person.times(), times);
    }
}

#[tokio::test]
async fn a_lock_that_is_loaded_while_the_host_runs_counts_from_the_next_call_on() {
    let office = locked(DENY, ProjectLock::Absent, &[&[TOOL]]).await;
    assert_eq!(office.call("read").await, "done");
    let mut files = server(remote(&office.site.url("/mcp")));
    approved(&mut files);
    let mut config = Config::default();
    config.approval.fastest_answer = std::time::Duration::ZERO;
    config.servers.insert(id("files"), entry("files", files, LayerGrade::Person));
    let load = async |lock: ProjectLock| {
        let config = Config { lock, ..config.clone() };
        within(office.shop.host.reload(&config, &Acceptances::default(), None)).await;
    };
    load(ProjectLock::Unreadable).await;
    assert_eq!(office.asked("read").await.1, "denied");
    load(names("files", &[("read", TOOL)])).await;
    assert_eq!(office.call("read").await, "done");
    load(names("files", &[("read", "{}")])).await;
    assert_eq!(office.asked("read").await.1, "denied");
}

#[tokio::test]
async fn the_owner_is_told_that_it_is_the_lock() {
    let office = locked(DENY, names("files", &[]), &[&[TOOL]]).await;
    let (audience, server) = (toolgate_host::Audience::MODEL, id("files"));
    let explained = within(office.shop.host.explain(&audience, &server, "read", None)).await;
    let ruling = explained.unwrap().unwrap().ruling.to_string();
    assert_eq!(ruling, "ask: its definition is not the one in `toolgate.lock`");
}
