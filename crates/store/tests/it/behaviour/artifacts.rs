//! Artifacts in every store: whole, only for their own, by range, and the oldest gone first.

use std::ops::Range;

use toolgate_store::{Artifact, ArtifactId, ArtifactStore, KeptFor, NewArtifact};
use toolgate_types::Digest;

use super::on_every_store;
use crate::{local, picture};

async fn keep(store: &dyn ArtifactStore, bytes: &[u8], created_at: u64) -> ArtifactId {
    store.keep_artifact(picture(bytes, created_at)).await.unwrap().id
}

async fn left<const N: usize>(store: &dyn ArtifactStore, ids: &[ArtifactId; N]) -> [bool; N] {
    let mut left = [false; N];
    for (left, id) in left.iter_mut().zip(ids) {
        *left = store.artifact(id, &local()).await.unwrap().is_some();
        let bytes = store.read_artifact(id, &local(), 0..1).await.unwrap();
        assert_eq!(bytes.is_some(), *left);
    }
    left
}

#[test]
fn an_artifact_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let given = NewArtifact {
            owner: KeptFor::new("é\0", "/é"),
            mime: String::new(),
            tool: Some("shot".into()),
            ..picture(b"abc", u64::MAX)
        };
        let kept = store.keep_artifact(given).await.unwrap();
        // Of "abc", as anybody can look up.
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let expected = Artifact {
            id: kept.id.clone(),
            owner: KeptFor::new("é\0", "/é"),
            mime: String::new(),
            size: 3,
            sha256: Digest::from_hex(sha256).unwrap(),
            created_at: i64::MAX.cast_unsigned(),
            server: Some("files".into()),
            tool: Some("shot".into()),
            correlation: "c".into(),
        };
        assert_eq!(kept, expected);
        assert_eq!(
            store.artifact(&kept.id, &KeptFor::new("é\0", "/é")).await.unwrap(),
            Some(expected)
        );
    });
}

#[test]
fn to_another_principal_and_in_another_workspace_it_does_not_exist() {
    on_every_store(&async |store| {
        let id = keep(store, b"mine", 1).await;
        let principals = ["", "Local", "local ", "%"].map(|other| KeptFor::new(other, "/place"));
        let places = ["", "/", "/place/a", "/Place", "%"];
        let places = places.map(|other| KeptFor { workspace: other.into(), ..local() });
        for other in principals.iter().chain(&places) {
            assert_eq!(store.read_artifact(&id, other, 0..4).await.unwrap(), None, "{other:?}");
            assert_eq!(store.artifact(&id, other).await.unwrap(), None);
        }
        let nobodys = ArtifactId::parse("00000000000000000000000000000000").unwrap();
        assert_eq!(store.artifact(&nobodys, &local()).await.unwrap(), None);
        assert_eq!(store.read_artifact(&nobodys, &local(), 0..4).await.unwrap(), None);
        assert_eq!(store.read_artifact(&id, &local(), 0..4).await.unwrap().unwrap(), b"mine");
    });
}

#[test]
fn any_range_gives_what_of_it_there_is() {
    on_every_store(&async |store| {
        let id = keep(store, b"0123456789", 1).await;
        let backwards = Range { start: 7, end: 3 };
        for (range, bytes) in [
            (0..10, &b"0123456789"[..]),
            (0..u64::MAX, b"0123456789"),
            (3..5, b"34"),
            (8..12, b"89"),
            (10..12, b""),
            (u64::MAX - 1..u64::MAX, b""),
            (4..4, b""),
            (backwards, b""),
        ] {
            let read = store.read_artifact(&id, &local(), range.clone()).await.unwrap();
            assert_eq!(read.as_deref(), Some(bytes), "{range:?}");
        }
    });
}

#[test]
fn nothing_is_an_artifact_too_and_so_are_several_megabytes() {
    on_every_store(&async |store| {
        let empty = keep(store, b"", 1).await;
        assert_eq!(store.read_artifact(&empty, &local(), 0..9).await.unwrap().unwrap(), b"");
        let large: Vec<u8> = (0..5_000_000_u32).map(|n| (n % 251) as u8).collect();
        let id = keep(store, &large, 1).await;
        assert!(store.read_artifact(&id, &local(), 0..u64::MAX).await.unwrap().unwrap() == large);
    });
}

#[test]
fn the_same_bytes_twice_are_two_artifacts() {
    on_every_store(&async |store| {
        let ids = [keep(store, b"x", 1).await, keep(store, b"x", 2).await];
        assert_ne!(ids[0], ids[1]);
        assert_eq!(store.prune_artifacts(2, u64::MAX).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [false, true]);
    });
}

#[test]
fn what_is_too_old_goes_and_then_the_oldest_of_what_is_too_much() {
    on_every_store(&async |store| {
        // Kept in another order than they were made in.
        let ids = [
            keep(store, b"aaaa", 30).await,
            keep(store, b"bb", 10).await,
            keep(store, b"ccc", 20).await,
            keep(store, b"d", 40).await,
        ];
        assert_eq!(store.prune_artifacts(0, u64::MAX).await.unwrap(), 0);
        assert_eq!(store.prune_artifacts(10, 10).await.unwrap(), 0);
        assert_eq!(store.prune_artifacts(11, 10).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [true, false, true, true]);
        assert_eq!(store.prune_artifacts(0, 7).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [true, false, false, true]);
        assert_eq!(store.prune_artifacts(0, 4).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [false, false, false, true]);
        assert_eq!(store.prune_artifacts(u64::MAX, u64::MAX).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [false; 4]);
    });
}

#[test]
fn of_two_as_old_the_one_that_came_first_goes() {
    on_every_store(&async |store| {
        let ids = [keep(store, b"a", 5).await, keep(store, b"b", 5).await];
        assert_eq!(store.prune_artifacts(0, 1).await.unwrap(), 1);
        assert_eq!(left(store, &ids).await, [false, true]);
    });
}
