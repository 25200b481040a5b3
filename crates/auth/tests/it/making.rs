//! Making, listing and ending tokens.

use std::fs;
use std::sync::Barrier;
use std::thread;

use toolgate_auth::callers::{NewToken, TokenError, TokenRefusal};
use toolgate_store::StoreError;
use toolgate_types::Digest;

use crate::{NOW, folder, made, name, new, process, verified, wait};

#[test]
fn a_token_is_shown_once_and_nothing_in_the_state_folder_holds_it() {
    let state = folder();
    let tokens = process(state.path());
    let (text, record) = wait(tokens.create(new("ci"), NOW)).unwrap();
    assert_eq!(wait(tokens.list()).unwrap(), std::slice::from_ref(&record));
    assert_eq!(verified(&tokens, text.expose(), NOW), Ok("ci".into()));
    assert!(!format!("{text:?} {record:?} {tokens:?}").contains(text.expose()));
    // With the log of the database still beside it, and after it was written back.
    let mut looked_at = 0;
    let mut tokens = Some(tokens);
    for _ in 0..2 {
        for file in fs::read_dir(state.path()).unwrap() {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            let random = &text.expose().as_bytes()[4..];
            assert!(!bytes.windows(random.len()).any(|window| window == random));
            looked_at += usize::from(bytes.windows(32).any(|window| window == record.hash.0));
        }
        drop(tokens.take());
    }
    assert!(looked_at >= 2, "its hash is there both times");
}

#[test]
fn a_name_is_given_again_only_when_its_token_was_revoked_or_has_expired() {
    let state = folder();
    let tokens = process(state.path());
    let first = made(&tokens, new("ci"));
    let taken = wait(tokens.create(new("ci"), NOW)).unwrap_err();
    assert_eq!(taken, TokenError::Taken { name: name("ci") });
    assert!(taken.hint().is_some());
    assert!(wait(tokens.revoke(&name("ci"), NOW)).unwrap());
    assert!(!wait(tokens.revoke(&name("ci"), NOW)).unwrap());
    let second = made(&tokens, NewToken { expires_at: Some(NOW + 10), ..new("ci") });
    assert!(wait(tokens.create(new("ci"), NOW + 9)).is_err());
    let third = wait(tokens.create(new("ci"), NOW + 10)).unwrap().0;
    let refused = [&first, &second].map(|text| verified(&tokens, text, NOW + 10).unwrap_err());
    let ci = || name("ci");
    assert_eq!(
        refused,
        [TokenRefusal::Revoked { name: ci() }, TokenRefusal::Expired { name: ci() }]
    );
    assert_eq!(verified(&tokens, third.expose(), NOW + 10), Ok("ci".into()));
}

#[test]
fn what_is_expired_from_the_start_or_named_as_the_first_is_not_made() {
    let state = folder();
    let tokens = process(state.path());
    let past = NewToken { expires_at: Some(NOW), ..new("ci") };
    assert_eq!(wait(tokens.create(past, NOW)).unwrap_err(), TokenError::AlreadyExpired);
    assert_eq!(wait(tokens.create(new("default"), NOW)).unwrap_err(), TokenError::Reserved);
    assert_eq!(wait(tokens.list()).unwrap(), []);
}

#[test]
fn of_two_processes_that_make_a_token_of_one_name_one_does() {
    let state = folder();
    let processes = [(); 2].map(|()| process(state.path()));
    let start = Barrier::new(2);
    let made = thread::scope(|scope| {
        let start = &start;
        let make = move |tokens| {
            start.wait();
            wait(toolgate_auth::callers::ClientTokens::create(tokens, new("ci"), NOW))
        };
        let threads = processes.each_ref().map(|tokens| scope.spawn(move || make(tokens)));
        threads.map(|thread| thread.join().unwrap())
    });
    let (made, refused): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!(
        refused.into_iter().map(Result::unwrap_err).collect::<Vec<_>>(),
        [TokenError::Taken { name: name("ci") }]
    );
    let (text, _) = made.into_iter().next().unwrap().unwrap();
    for tokens in &processes {
        assert_eq!(verified(tokens, text.expose(), NOW), Ok("ci".into()));
    }
}

#[test]
fn where_nothing_may_be_written_nothing_is_made() {
    let state = folder();
    drop(process(state.path()));
    let looking = toolgate_store::SqliteStore::open_read_only(state.path()).unwrap();
    let tokens = toolgate_auth::callers::ClientTokens::new(std::sync::Arc::new(looking));
    let error = wait(tokens.create(new("ci"), NOW)).unwrap_err();
    assert_eq!(error, TokenError::Store(StoreError::ReadOnly));
    assert!(wait(tokens.revoke(&name("ci"), NOW)).is_err());
}

#[test]
fn a_record_holds_what_was_asked_for() {
    let state = folder();
    let tokens = process(state.path());
    let (text, record) = wait(tokens.create(
        NewToken { client: Some("cursor".into()), expires_at: Some(NOW + 1), ..new("ci") },
        NOW,
    ))
    .unwrap();
    assert_eq!((record.created_at, record.expires_at), (NOW, Some(NOW + 1)));
    assert_eq!(record.client.as_deref(), Some("cursor"));
    assert_ne!(record.hash, Digest([0; 32]));
    assert!(text.expose().starts_with("tgt_"));
}
