//! A person's word, given in another process: what was accepted is listed.

use std::sync::Arc;

use toolgate_types::config::Isolation;
use toolgate_types::{ListKind, SessionId};

use super::{House, in_turn, listed, of, offering, tool};
use toolgate_upstream::{ConnectionUser, ListWait, PATIENCE};

use crate::within;

/// Shows: E-6.
#[tokio::test]
async fn what_a_person_accepts_elsewhere_is_listed() {
    let (old, new) = ([tool("a", "1"), tool("b", "1")], [tool("a", "2"), tool("b", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let guest = house.guest();
    guest.lists().await;
    let before = guest.lists().await;
    let (elsewhere, epoch) = (house.store(), guest.world.epoch());
    let accepted = elsewhere.accept_pins(&guest.key(), &["a".to_owned()], false, 9).await.unwrap();
    assert_eq!(accepted, ["a"]);
    assert_eq!(listed(&before), old);
    guest.pool.pins_changed().await;
    let known = guest.upstream.known(ListKind::Tools).unwrap();
    assert_eq!(listed(&known), [&*new[0], &*old[1]]);
    assert!(Arc::ptr_eq(&known.items[1], &before.items[1]), "the other is the very same");
    assert_eq!((guest.live("a"), guest.live("b")), (None, Some(new[1].clone())));
    assert!(guest.world.epoch() > epoch);
    let told = guest.events.all();
    assert_eq!(told.iter().filter(|line| *line == "changed").count(), 1, "{told:?}");
    // Who was given the old one is not served by it unasked.
    assert!(guest.upstream.hold_for(&before.items[0], ConnectionUser::default()).is_none());
    assert_eq!(listed(&*guest.lists().await), [&*new[0], &*old[1]]);
    assert!(guest.upstream.hold_for(&known.items[0], ConnectionUser::default()).is_some());
    let epoch = guest.world.epoch();
    guest.pool.pins_changed().await;
    assert_eq!((guest.world.epoch(), guest.events.all()), (epoch, told), "no news is none");
    let key = guest.key();
    guest.close().await;
    // The snapshot by itself says so too.
    elsewhere.forget_pins(&key).await.unwrap();
    let next = house.guest();
    assert_eq!(listed(&next.knows().await.unwrap()), [&*new[0], &*old[1]]);
    next.close().await;
}

#[tokio::test]
async fn what_is_accepted_is_listed_by_the_process_of_a_session_too() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let isolated = Isolation::Session;
    let guest = house.guest_with(house.store(), |_, entry| entry.value.isolation = isolated);
    let session = SessionId("s".to_owned());
    let held = within(guest.upstream.hold(of(&session))).await.unwrap();
    for _ in 0..2 {
        assert_eq!(listed(&within(held.spoken(ListKind::Tools)).await.unwrap()), old);
    }
    assert!(held.drifted("a").is_some());
    house.store().accept_pins(&guest.key(), &[], false, 9).await.unwrap();
    guest.pool.pins_changed().await;
    assert!(held.drifted("a").is_none());
    assert_eq!(listed(&guest.upstream.known(ListKind::Tools).unwrap()), new);
    within(guest.upstream.end_session(&session)).await;
    guest.close().await;
}

#[tokio::test]
async fn what_is_accepted_of_a_server_that_does_not_run_is_listed_too() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let first = house.guest();
    first.lists().await;
    first.lists().await;
    first.close().await;
    let second = house.guest();
    assert_eq!(listed(&second.knows().await.unwrap()), old);
    house.store().accept_pins(&second.key(), &[], false, 9).await.unwrap();
    second.pool.pins_changed().await;
    let known = second.upstream.known(ListKind::Tools).unwrap();
    assert_eq!((listed(&known), second.live("a")), (vec![&*new[0]], None));
    assert!(known.from_snapshot && second.upstream.status().last_connected_at.is_none());
    second.close().await;
}

/// Shows: P11-11.
#[tokio::test]
async fn what_was_accepted_by_name_is_known_before_the_server_runs() {
    let tools = [tool("a", "1"), tool("b", "1")];
    let house = House::new(&offering(&tools));
    let first = house.guest();
    assert!(first.upstream.accepted_by_name().is_empty());
    first.lists().await;
    assert!(first.upstream.accepted_by_name().is_empty());
    let (elsewhere, epoch) = (house.store(), first.world.epoch());
    elsewhere.accept_pins(&first.key(), &["b".to_owned()], true, 9).await.unwrap();
    first.pool.pins_changed().await;
    assert_eq!(*first.upstream.accepted_by_name(), ["b"]);
    assert!(first.world.epoch() > epoch, "what is seen depends on it");
    assert_eq!(first.events.all(), ["changed"]);
    first.close().await;
    for uses_snapshots in [true, false] {
        house.play(&offering(&[]).at_start([toolgate_testkit::Act::Exit(1)]));
        let second = house.guest_with(house.store(), |world, _| {
            world.uses_snapshots = uses_snapshots;
        });
        within(second.upstream.refresh(ListKind::Tools, ListWait::at_most(PATIENCE))).await;
        assert_eq!(*second.upstream.accepted_by_name(), ["b"], "{uses_snapshots}");
        assert!(second.upstream.status().last_connected_at.is_none());
        second.close().await;
    }
}

#[tokio::test]
async fn what_is_accepted_by_name_meanwhile_is_known_with_the_next_list() {
    let tools = [tool("a", "1")];
    let house = House::new(&offering(&tools));
    let guest = house.guest();
    guest.lists().await;
    let epoch = guest.world.epoch();
    guest.store.accept_pins(&guest.key(), &[], true, 9).await.unwrap();
    guest.lists().await;
    assert_eq!(*guest.upstream.accepted_by_name(), ["a"]);
    assert!(guest.world.epoch() > epoch);
    guest.close().await;
}

#[tokio::test]
async fn a_server_whose_pins_are_forgotten_begins_anew() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let guest = house.guest();
    guest.lists().await;
    guest.lists().await;
    house.store().forget_pins(&guest.key()).await.unwrap();
    guest.pool.pins_changed().await;
    assert_eq!(listed(&guest.upstream.known(ListKind::Tools).unwrap()), new);
    guest.lists().await;
    assert_eq!((guest.live("a"), &guest.pins().await[0].accepted), (None, &new[0]));
    guest.close().await;
}
