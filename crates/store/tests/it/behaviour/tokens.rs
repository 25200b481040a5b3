//! Tokens in every store: found by their hash, one living of a name, ended and not forgotten.

use std::collections::BTreeSet;

use toolgate_store::{KeptToken, Store, TokenKind, TokenName};
use toolgate_types::{Digest, RoleId};

use super::on_every_store;
use crate::{token, token_name};

fn roles(ids: &[&str]) -> Option<BTreeSet<RoleId>> {
    Some(ids.iter().map(|id| RoleId::parse(id).unwrap()).collect())
}

async fn is_kept(store: &dyn Store, token: KeptToken) {
    assert!(store.keep_token(token).await.unwrap());
}

#[test]
fn a_token_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let given = [
            token("a", 1),
            KeptToken { roles: roles(&["dev", "re-view_2"]), ..token("b", 2) },
            KeptToken { roles: roles(&[]), client: Some("my cli, é".into()), ..token("c", 3) },
            KeptToken {
                kind: TokenKind::Admin,
                expires_at: Some(9),
                shows_forms: true,
                is_owners: true,
                ..token("d", 4)
            },
            KeptToken { created_at: 0, revoked_at: Some(0), ..token("e", 5) },
        ];
        for token in &given {
            assert_eq!(store.token(token.hash).await.unwrap(), None);
            is_kept(store, token.clone()).await;
        }
        for token in &given {
            assert_eq!(store.token(token.hash).await.unwrap().as_ref(), Some(token));
        }
        assert_eq!(store.tokens().await.unwrap(), given);
    });
}

#[test]
fn the_latest_time_of_a_token_stays_late() {
    on_every_store(&async |store| {
        let token = KeptToken { expires_at: Some(u64::MAX), created_at: u64::MAX, ..token("a", 1) };
        is_kept(store, token.clone()).await;
        let kept = store.token(token.hash).await.unwrap().unwrap();
        let latest = i64::MAX.cast_unsigned();
        assert_eq!((kept.created_at, kept.expires_at), (latest, Some(latest)));
    });
}

#[test]
fn a_name_is_one_living_tokens_alone() {
    on_every_store(&async |store| {
        is_kept(store, token("ci", 1)).await;
        assert!(!store.keep_token(token("ci", 2)).await.unwrap());
        assert_eq!(store.tokens().await.unwrap(), [token("ci", 1)]);
        is_kept(store, token("CI", 3)).await;
        assert!(store.revoke_token(&token_name("ci"), 5).await.unwrap());
        is_kept(store, token("ci", 4)).await;
        let first = KeptToken { revoked_at: Some(5), ..token("ci", 1) };
        assert_eq!(store.tokens().await.unwrap(), [token("CI", 3), first, token("ci", 4)]);
    });
}

#[test]
fn a_hash_is_kept_once_and_what_was_kept_stays() {
    on_every_store(&async |store| {
        let expired = KeptToken { expires_at: Some(3), ..token("b", 2) };
        is_kept(store, token("a", 1)).await;
        is_kept(store, expired.clone()).await;
        let again = KeptToken { created_at: 9, ..token("b", 1) };
        assert!(!store.keep_token(again.clone()).await.unwrap());
        assert!(!store.replace_token(again).await.unwrap());
        assert_eq!(store.tokens().await.unwrap(), [token("a", 1), expired]);
    });
}

#[test]
fn an_expired_token_gives_its_name_free_and_one_that_expires_later_does_not() {
    on_every_store(&async |store| {
        is_kept(store, KeptToken { expires_at: Some(10), ..token("ci", 1) }).await;
        assert!(!store.keep_token(KeptToken { created_at: 9, ..token("ci", 2) }).await.unwrap());
        let later = KeptToken { created_at: 10, ..token("ci", 2) };
        is_kept(store, later.clone()).await;
        let ended = KeptToken { expires_at: Some(10), revoked_at: Some(10), ..token("ci", 1) };
        assert_eq!(store.tokens().await.unwrap(), [ended, later]);
    });
}

#[test]
fn replacing_ends_the_one_that_had_the_name() {
    on_every_store(&async |store| {
        assert!(store.replace_token(token("default", 1)).await.unwrap());
        is_kept(store, token("other", 2)).await;
        let next = KeptToken { created_at: 7, ..token("default", 3) };
        assert!(store.replace_token(next.clone()).await.unwrap());
        let ended = KeptToken { revoked_at: Some(7), ..token("default", 1) };
        assert_eq!(store.tokens().await.unwrap(), [ended, next, token("other", 2)]);
    });
}

#[test]
fn revoking_ends_one_token_once_and_says_whether_there_was_one() {
    on_every_store(&async |store| {
        is_kept(store, token("a", 1)).await;
        is_kept(store, token("b", 2)).await;
        let [a, c] = ["a", "c"].map(token_name);
        assert!(store.revoke_token(&a, 5).await.unwrap());
        assert!(!store.revoke_token(&a, 6).await.unwrap());
        assert!(!store.revoke_token(&c, 6).await.unwrap());
        let kept = store.token(Digest([1; 32])).await.unwrap().unwrap();
        assert_eq!(kept.revoked_at, Some(5));
        let other = store.token(Digest([2; 32])).await.unwrap().unwrap();
        assert_eq!(other.revoked_at, None);
    });
}

#[test]
fn of_more_than_a_hundred_that_ended_the_oldest_are_forgotten() {
    on_every_store(&async |store| {
        is_kept(store, token("living", 200)).await;
        for hash in 0..103 {
            // Times that run backwards: what counts is which came first.
            let created_at = 1000 - u64::from(hash);
            let next = KeptToken { created_at, ..token("default", hash) };
            assert!(store.replace_token(next).await.unwrap());
        }
        let tokens = store.tokens().await.unwrap();
        let hashes: Vec<u8> = tokens.iter().map(|token| token.hash.0[0]).collect();
        assert_eq!(hashes, (2..103).chain([200]).collect::<Vec<_>>());
    });
}

#[test]
fn a_name_is_written_as_ids_are() {
    for name in ["", "a b", "a:b", "é", &"a".repeat(65)] {
        assert!(TokenName::parse(name).is_err(), "{name}");
    }
    assert_eq!(token_name("my-ci_2").to_string(), "my-ci_2");
}
