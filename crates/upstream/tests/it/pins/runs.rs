//! One run after another: what was accepted outlives the server, this program, and the snapshot.

use std::process::Command;

use super::{House, listed, offering, tool};
use crate::within;

/// Shows: E-6, P11-11.
#[tokio::test]
async fn an_update_of_the_server_is_seen_by_the_next_program() {
    let (old, new) = ([tool("read", "Reads")], [tool("read", "Reads more"), tool("new", "New")]);
    let house = House::new(&offering(&old));
    let first = house.guest();
    assert_eq!(listed(&*first.lists().await), old);
    first.close().await;
    house.play(&offering(&new));
    let second = house.guest();
    let known = second.knows().await.unwrap();
    assert!(known.from_snapshot);
    assert_eq!((listed(&known), second.live("read")), (vec![&*old[0]], None), "before it runs");
    let listing = second.lists().await;
    assert_eq!(listed(&listing), [&*old[0], &*new[1]]);
    assert_eq!(second.live("read"), Some(new[0].clone()));
    assert_eq!(second.events.all(), ["pinned new", "drifted read: wording"]);
    second.close().await;
    let third = house.guest();
    let known = third.knows().await.unwrap();
    assert!(known.from_snapshot);
    assert_eq!(listed(&known), [&*old[0], &*new[1]]);
    assert_eq!(third.live("read"), Some(new[0].clone()), "known before it runs again");
    third.lists().await;
    assert!(third.events.all().is_empty(), "and no news any more");
    third.close().await;
}

/// Shows: E-6.
#[tokio::test]
async fn a_server_that_was_killed_comes_back_with_another_word_and_is_not_believed() {
    let (old, new) = ([tool("read", "Reads")], [old_with_a_hint()]);
    let house = House::new(&offering(&old));
    let guest = house.guest();
    guest.lists().await;
    house.play(&offering(&new));
    let pid = guest.upstream.status().pid.unwrap();
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    guest.events.heard("lost").await;
    within(guest.upstream.reconnect()).await.unwrap();
    assert_ne!(guest.upstream.status().pid, Some(pid));
    assert_eq!(listed(&*guest.lists().await), old);
    assert_eq!(guest.live("read"), Some(new[0].clone()));
    guest.events.heard("drifted read: danger").await;
    guest.close().await;
}

fn old_with_a_hint() -> String {
    tool("read", "Reads")
        .replace(r#""inputSchema""#, r#""annotations":{"readOnlyHint":true},"inputSchema""#)
}

/// What is kept for the next start is not looked at through the pins here.
#[tokio::test]
async fn a_snapshot_holds_what_was_accepted_and_nothing_else() {
    let (old, new) =
        ([tool("a", "1"), tool("b", "1")], [tool("a", "2"), tool("b", "1"), tool("c", "1")]);
    let house = House::new(&offering(&old));
    let first = house.guest();
    first.lists().await;
    first.close().await;
    house.play(&offering(&new));
    let second = house.guest();
    second.lists().await;
    assert_eq!(second.store.forget_pins(&second.key()).await.unwrap(), 3);
    second.close().await;
    let third = house.guest();
    assert_eq!(listed(&third.knows().await.unwrap()), [&*old[0], &*old[1], &*new[2]]);
    third.close().await;
}

/// A snapshot of another workspace may be older than what a person accepted since.
#[tokio::test]
async fn what_is_accepted_goes_before_what_a_snapshot_says() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&offering(&old));
    let first = house.guest();
    first.lists().await;
    let pins = first.pins().await.into_iter().map(|mut pin| {
        pin.accepted.clone_from(&new[0]);
        pin
    });
    first.store.keep_pins(&first.key(), pins.collect()).await.unwrap();
    first.close().await;
    let second = house.guest();
    let known = second.knows().await.unwrap();
    assert_eq!((listed(&known), second.live("a")), (vec![&*new[0]], None));
    second.close().await;
}
