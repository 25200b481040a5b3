//! A store that fails: what was known holds, and it is said.

use std::sync::Arc;

use toolgate_store::{MemoryStore, SqliteStore, Store, StoreError};

use super::{House, in_turn, listed, offering, tool};

const FAULT: Option<StoreError> = Some(StoreError::Full);
const TOLD: &str = "failed: there is no room left on the disk that holds the state";

/// Shows: E-6.
#[tokio::test]
async fn where_the_store_fails_what_was_known_of_the_pins_holds() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2"), tool("b", "1")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let store = Arc::new(MemoryStore::default());
    let guest = house.guest_with(Arc::clone(&store) as _, |_, _| {});
    guest.lists().await;
    store.break_pins(FAULT);
    for _ in 0..2 {
        assert_eq!(listed(&*guest.lists().await), [&*old[0], &*new[1]]);
        assert_eq!(guest.live("a"), Some(new[0].clone()));
    }
    assert_eq!(guest.events.all(), [TOLD, "pinned b", "drifted a: wording", TOLD]);
    guest.pool.pins_changed().await;
    assert_eq!(guest.live("a"), Some(new[0].clone()), "not even by somebody's word");
    store.break_pins(None);
    guest.lists().await;
    assert_eq!(guest.pins().await[0].live, Some(new[0].clone()), "kept as soon as it can be");
    guest.close().await;
}

#[tokio::test]
async fn where_nothing_was_known_the_first_list_is_believed_and_that_is_told() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let store = Arc::new(MemoryStore::default());
    store.break_pins(FAULT);
    let guest = house.guest_with(Arc::clone(&store) as _, |_, _| {});
    assert_eq!(listed(&*guest.lists().await), old);
    assert_eq!(guest.events.all(), [TOLD]);
    assert_eq!(listed(&*guest.lists().await), old, "from then on it is known");
    assert_eq!(guest.live("a"), Some(new[0].clone()));
    guest.close().await;
}

#[tokio::test]
async fn where_only_the_pins_cannot_be_read_a_snapshot_still_answers() {
    let tools = [tool("a", "1")];
    let house = House::new(&offering(&tools));
    let store = Arc::new(MemoryStore::default());
    let first = house.guest_with(Arc::clone(&store) as _, |_, _| {});
    first.lists().await;
    first.close().await;
    store.break_pins(FAULT);
    let second = house.guest_with(Arc::clone(&store) as _, |_, _| {});
    assert_eq!(listed(&second.knows().await.unwrap()), tools);
    assert_eq!(second.events.all(), [TOLD]);
    second.close().await;
}

/// A command that only looks: what it sees differs all the same, and nothing is kept of it.
#[tokio::test]
async fn a_store_that_was_opened_to_look_is_gone_by_and_left_as_it_is() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2"), tool("b", "1")]);
    let house = House::new(&offering(&old));
    let first = house.guest();
    first.lists().await;
    let before = first.pins().await;
    first.close().await;
    house.play(&offering(&new));
    let looking: Arc<dyn Store> =
        Arc::new(SqliteStore::open_read_only(house.state.path()).unwrap());
    let second = house.guest_with(looking, |_, _| {});
    for _ in 0..2 {
        assert_eq!(listed(&*second.lists().await), [&*old[0], &*new[1]]);
        assert_eq!(second.live("a"), Some(new[0].clone()));
    }
    assert_eq!(second.events.all(), ["pinned b", "drifted a: wording"]);
    assert_eq!(second.pins().await, before);
    second.close().await;
}

#[tokio::test]
async fn where_nothing_can_be_kept_the_first_list_is_remembered_all_the_same() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let house = House::new(&in_turn(&[&old, &new]));
    let nothing: Arc<dyn Store> =
        Arc::new(SqliteStore::open_read_only(house.state.path()).unwrap());
    let guest = house.guest_with(nothing, |_, _| {});
    for _ in 0..3 {
        assert_eq!(listed(&*guest.lists().await), old);
    }
    assert_eq!(guest.live("a"), Some(new[0].clone()));
    assert_eq!(guest.events.all(), ["drifted a: wording"]);
    guest.close().await;
}

#[tokio::test]
async fn a_pin_that_cannot_be_read_costs_its_tool_and_no_other() {
    let tools = [tool("a", "1"), tool("b", "1")];
    let house = House::new(&offering(&tools));
    let guest = house.guest();
    guest.lists().await;
    let mut pin = guest.pins().await.remove(0);
    pin.accepted = "{".to_owned();
    guest.store.keep_pins(&guest.key(), vec![pin]).await.unwrap();
    let listing = guest.lists().await;
    assert_eq!(listed(&listing), [&*tools[1]]);
    let said = "a: what was accepted of it cannot be read; forget the pins of its server";
    assert_eq!(listing.set_aside, [said]);
    guest.close().await;
}
