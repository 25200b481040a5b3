//! Pins in every store: what was accepted stays, what differs stands beside it, and a person's word
//! takes its place.

use toolgate_store::{Pin, PinKey, PinnedInstructions, Store};
use toolgate_types::PinnedBy;

use super::on_every_store;
use crate::{folder, pin, pins_of, root, seen};

async fn pins(store: &dyn Store, key: &PinKey) -> Vec<Pin> {
    store.pins(key).await.unwrap()
}

fn differing(pin: Pin, live: &str, seen_at: u64) -> Pin {
    Pin { live: Some(live.into()), seen_at: Some(seen_at), ..pin }
}

#[test]
fn a_pin_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let key = pins_of("a");
        let given = [
            pin("", ""),
            Pin {
                accepted_at: u64::MAX,
                by: PinnedBy::Person,
                named: true,
                ..differing(pin("a\0b", "{ \"x\": 1.50,\"y\":\"é\u{202e}\" }"), "{}", u64::MAX)
            },
            Pin { by: PinnedBy::New, ..pin("é", "{}") },
        ];
        store.keep_pins(&key, given.iter().rev().cloned().collect()).await.unwrap();
        assert_eq!(pins(store, &key).await, given);
    });
}

#[test]
fn a_later_pin_replaces_the_whole_earlier_one_and_no_other() {
    on_every_store(&async |store| {
        let key = pins_of("a");
        let earlier = Pin { named: true, ..differing(pin("read", "{}"), "{1}", 2) };
        store.keep_pins(&key, vec![earlier, pin("write", "{}")]).await.unwrap();
        store.keep_pins(&key, vec![pin("read", "{2}")]).await.unwrap();
        assert_eq!(pins(store, &key).await, [pin("read", "{2}"), pin("write", "{}")]);
    });
}

#[test]
fn a_project_and_a_server_together_name_pins_and_all_are_listed_in_order() {
    on_every_store(&async |store| {
        let home = folder();
        // By components and not by bytes, where `a-b` would come between `a` and `a/b`.
        let roots = ["a", "a/b", "a-b"].map(|name| Some(root(home.path().join(name))));
        let roots: Vec<_> = [None].into_iter().chain(roots).collect();
        let keys = roots.into_iter().flat_map(|root| {
            ["x", "y"].map(|server| PinKey { root: root.clone(), ..pins_of(server) })
        });
        let keys: Vec<_> = keys.collect();
        let all = keys.iter().zip(0..).flat_map(|(key, number)| {
            ["p", "q"].map(|tool| (key.clone(), pin(tool, &format!("{{{number}}}"))))
        });
        let all: Vec<_> = all.collect();
        for (key, pin) in all.iter().rev() {
            store.keep_pins(key, vec![pin.clone()]).await.unwrap();
        }
        assert_eq!(store.all_pins().await.unwrap(), all);
        assert_eq!(pins(store, &keys[3]).await, [pin("p", "{3}"), pin("q", "{3}")]);
        assert_eq!(pins(store, &pins_of("z")).await, []);
    });
}

/// Shows: E-6.
#[test]
fn the_first_list_and_later_tools_are_pinned_as_they_come() {
    on_every_store(&async |store| {
        let key = pins_of("a");
        let first = seen(&[("read", "{}"), ("write", "{ }")]);
        let observed = store.observe_tools(&key, first, 1).await.unwrap();
        assert_eq!(observed.new, ["read", "write"]);
        let both = [pin("read", "{}"), pin("write", "{ }")];
        assert_eq!(observed.pins.into_values().collect::<Vec<_>>(), both);
        let later = seen(&[("read", "{}"), ("erase", "{}")]);
        let observed = store.observe_tools(&key, later.clone(), 2).await.unwrap();
        assert_eq!((observed.new, observed.drifted), (vec!["erase".to_owned()], vec![]));
        let erase = Pin { by: PinnedBy::New, accepted_at: 2, ..pin("erase", "{}") };
        let [read, write] = both;
        // What the server no longer has stays pinned.
        assert_eq!(pins(store, &key).await, [erase, read, write]);
        let again = store.observe_tools(&key, later, 3).await.unwrap();
        assert_eq!((again.new, again.drifted), (vec![], vec![]));
    });
}

/// Shows: E-6, P11-11.
#[test]
fn another_definition_stands_beside_the_accepted_one_until_it_is_gone() {
    on_every_store(&async |store| {
        let key = pins_of("a");
        let observe = async |definition: &str, at| {
            store.observe_tools(&key, seen(&[("read", definition)]), at).await.unwrap().drifted
        };
        let accepted = pin("read", "{}");
        assert!(observe("{}", 1).await.is_empty());
        assert_eq!(observe("{ }", 2).await, ["read"]);
        assert_eq!(pins(store, &key).await, [differing(accepted.clone(), "{ }", 2)]);
        assert!(observe("{ }", 3).await.is_empty(), "the same difference is no news");
        assert_eq!(pins(store, &key).await, [differing(accepted.clone(), "{ }", 2)]);
        assert_eq!(observe("{  }", 4).await, ["read"], "another one is");
        assert_eq!(pins(store, &key).await, [differing(accepted.clone(), "{  }", 4)]);
        assert!(observe("{}", 5).await.is_empty());
        assert_eq!(pins(store, &key).await, [accepted], "as if nothing had been");
    });
}

/// Shows: E-6.
#[test]
fn a_person_accepts_what_a_tool_is_now() {
    on_every_store(&async |store| {
        let key = pins_of("a");
        let before = vec![
            differing(pin("changed", "{1}"), "{2}", 3),
            differing(pin("other", "{1}"), "{2}", 3),
            pin("same", "{1}"),
        ];
        store.keep_pins(&key, before.clone()).await.unwrap();
        store.keep_pins(&pins_of("b"), before.clone()).await.unwrap();
        let by_name = ["changed".to_owned(), "nobody".to_owned()];
        assert_eq!(store.accept_pins(&key, &by_name, true, 9).await.unwrap(), ["changed"]);
        let accepted = |tool, definition, named| Pin {
            accepted_at: 9,
            by: PinnedBy::Person,
            named,
            ..pin(tool, definition)
        };
        let changed = accepted("changed", "{2}", true);
        let rest = [before[1].clone(), before[2].clone()];
        assert_eq!(pins(store, &key).await, [&[changed][..], &rest].concat());
        assert!(store.accept_pins(&key, &by_name, true, 10).await.unwrap().is_empty(), "no news");
        assert_eq!(pins(store, &key).await[0].accepted_at, 9);
        let all = store.accept_pins(&key, &[], false, 9).await.unwrap();
        assert_eq!(all, ["changed", "other", "same"]);
        let all = [("changed", "{2}"), ("other", "{2}"), ("same", "{1}")];
        let all = all.map(|(tool, definition)| accepted(tool, definition, false));
        assert_eq!(pins(store, &key).await, all);
        assert_eq!(pins(store, &pins_of("b")).await, before, "another server's are its own");
    });
}

#[test]
fn forgetting_takes_the_pins_of_one_server_and_says_how_many() {
    on_every_store(&async |store| {
        let home = folder();
        let theirs = PinKey { root: Some(root(home.path())), ..pins_of("a") };
        for key in [&pins_of("a"), &theirs, &pins_of("b")] {
            let pins = vec![pin("read", "{}"), pin("write", "{}")];
            store.keep_pins(key, pins).await.unwrap();
        }
        assert_eq!(store.forget_pins(&pins_of("a")).await.unwrap(), 2);
        assert_eq!(store.forget_pins(&pins_of("a")).await.unwrap(), 0);
        let left: Vec<_> =
            store.all_pins().await.unwrap().into_iter().map(|(key, _)| key).collect();
        assert_eq!(left, [&pins_of("b"), &pins_of("b"), &theirs, &theirs].map(PinKey::clone));
        let first = store.observe_tools(&pins_of("a"), seen(&[("read", "{3}")]), 4).await.unwrap();
        assert_eq!(first.pins["read"].by, PinnedBy::First, "it begins anew");
    });
}

#[test]
fn instructions_are_pinned_beside_tools_and_go_with_them() {
    on_every_store(&async |store| {
        let (key, other) = (pins_of("a"), pins_of("b"));
        assert_eq!(store.instructions(&key).await.unwrap(), None);
        let first = store.observe_instructions(&key, "be kind", 1).await.unwrap();
        assert_eq!((first.is_drifted, first.pin.by), (false, PinnedBy::First));
        let second = store.observe_instructions(&key, "é\0\u{202e}", u64::MAX).await.unwrap();
        assert!(second.is_drifted);
        let expected = PinnedInstructions {
            live: Some("é\0\u{202e}".into()),
            seen_at: Some(u64::MAX),
            ..first.pin
        };
        assert_eq!(store.instructions(&key).await.unwrap(), Some(expected.clone()));
        assert_eq!(store.instructions(&other).await.unwrap(), None);
        let accepted = PinnedInstructions { live: None, by: PinnedBy::Person, ..expected };
        store.keep_instructions(&key, accepted.clone()).await.unwrap();
        assert_eq!(store.instructions(&key).await.unwrap(), Some(accepted));
        assert_eq!(pins(store, &key).await, [], "they are no tool");
        assert_eq!(store.forget_pins(&key).await.unwrap(), 0);
        assert_eq!(store.instructions(&key).await.unwrap(), None);
    });
}
