//! Snapshots in every store: whole, replaced, forgotten, and never more than a thousand.

use toolgate_store::Store;
use toolgate_types::Digest;

use super::on_every_store;
use crate::snapshot;

#[test]
fn a_snapshot_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let given = [
            (Digest([1; 32]), snapshot("{\"tools\": [ 1.0, \"é\0\u{202e}\" ]}", u64::MAX)),
            (Digest([2; 32]), snapshot("", 0)),
        ];
        for (key, snapshot) in &given {
            assert_eq!(store.snapshot(*key).await.unwrap(), None);
            store.keep_snapshot(*key, snapshot.clone()).await.unwrap();
        }
        for (key, snapshot) in given {
            assert_eq!(store.snapshot(key).await.unwrap(), Some(snapshot));
        }
    });
}

#[test]
fn a_snapshot_of_several_megabytes_is_kept() {
    on_every_store(&async |store| {
        let large = snapshot(&"{\"name\": \"tool\"}".repeat(400_000), 1);
        assert!(large.body.len() > 6_000_000);
        store.keep_snapshot(Digest([1; 32]), large.clone()).await.unwrap();
        assert!(store.snapshot(Digest([1; 32])).await.unwrap() == Some(large));
    });
}

#[test]
fn a_later_snapshot_replaces_the_earlier_one_also_when_its_time_is_less() {
    on_every_store(&async |store| {
        let key = Digest([1; 32]);
        for later in [snapshot("a", 5), snapshot("b", 9), snapshot("c", 2)] {
            store.keep_snapshot(key, later.clone()).await.unwrap();
            assert_eq!(store.snapshot(key).await.unwrap(), Some(later));
        }
    });
}

#[test]
fn forgetting_takes_one_snapshot_and_says_whether_there_was_one() {
    on_every_store(&async |store| {
        let (one, other) = (Digest([1; 32]), Digest([2; 32]));
        store.keep_snapshot(one, snapshot("a", 1)).await.unwrap();
        store.keep_snapshot(other, snapshot("b", 2)).await.unwrap();
        assert!(store.forget_snapshot(one).await.unwrap());
        assert!(!store.forget_snapshot(one).await.unwrap());
        assert_eq!(store.snapshot(one).await.unwrap(), None);
        assert_eq!(store.snapshot(other).await.unwrap(), Some(snapshot("b", 2)));
    });
}

fn numbered(number: u16) -> Digest {
    let mut key = [0; 32];
    key[..2].copy_from_slice(&number.to_be_bytes());
    Digest(key)
}

/// A thousand, taken in another order than they are kept in and than their keys have.
async fn keep_a_thousand(store: &dyn Store) {
    for number in 0..1000 {
        let taken_at = u64::from(number * 7 % 1000) + 1;
        store.keep_snapshot(numbered(number), snapshot("{}", taken_at)).await.unwrap();
    }
}

async fn missing_of_a_thousand(store: &dyn Store) -> Vec<u16> {
    let mut missing = Vec::new();
    for number in 0..1000 {
        if store.snapshot(numbered(number)).await.unwrap().is_none() {
            missing.push(number);
        }
    }
    missing
}

#[test]
fn of_more_than_a_thousand_snapshots_the_oldest_go() {
    on_every_store(&async |store| {
        keep_a_thousand(store).await;
        assert_eq!(missing_of_a_thousand(store).await, [0; 0]);
        // A new one in the place of an old one makes no more of them.
        store.keep_snapshot(numbered(0), snapshot("{}", 2000)).await.unwrap();
        assert_eq!(missing_of_a_thousand(store).await, [0; 0]);
        // 143 * 7 leaves 1, 286 * 7 leaves 2. The latest time there is counts as late.
        for (number, taken_at) in [(1000, u64::MAX), (1001, 2001)] {
            store.keep_snapshot(numbered(number), snapshot("{}", taken_at)).await.unwrap();
        }
        assert_eq!(missing_of_a_thousand(store).await, [143, 286]);
        assert!(store.snapshot(numbered(1000)).await.unwrap().is_some());
    });
}

#[test]
fn of_two_snapshots_as_old_the_one_with_the_lesser_key_goes() {
    on_every_store(&async |store| {
        keep_a_thousand(store).await;
        store.keep_snapshot(numbered(500), snapshot("{}", 0)).await.unwrap();
        store.keep_snapshot(numbered(400), snapshot("{}", 0)).await.unwrap();
        store.keep_snapshot(numbered(1000), snapshot("{}", 2000)).await.unwrap();
        assert_eq!(missing_of_a_thousand(store).await, [400]);
    });
}

#[test]
fn a_snapshot_older_than_a_thousand_others_is_kept_all_the_same() {
    on_every_store(&async |store| {
        keep_a_thousand(store).await;
        store.keep_snapshot(numbered(1000), snapshot("{}", 0)).await.unwrap();
        assert_eq!(store.snapshot(numbered(1000)).await.unwrap(), Some(snapshot("{}", 0)));
        assert_eq!(missing_of_a_thousand(store).await, [0]);
    });
}
