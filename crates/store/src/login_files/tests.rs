//! The file of logins keeps what others wrote, gives nothing that is not bound, and is one file for all
//! who write at once.

use super::*;
use crate::{LoginBinding, LoginTokens};
use std::fs;
use toolgate_types::ServerId;

fn key(server: &str, holder: LoginHolder) -> LoginKey {
    let url = format!("https://{server}.example/mcp");
    LoginKey { server: ServerId::parse(server).unwrap(), url, holder, account: None }
}

fn owners(server: &str) -> LoginKey {
    key(server, LoginHolder::Owner)
}

fn others(server: &str, principal: &str) -> LoginKey {
    key(server, LoginHolder::Other { principal: principal.into() })
}

fn login(token: &str) -> KeptLogin {
    let text = |text: &str| text.to_owned();
    KeptLogin {
        client_id: text("client"),
        client_secret: None,
        tokens: Some(LoginTokens {
            access_token: Secret::new(text(token)),
            refresh_token: Some(Secret::new(text("refresh"))),
            expires_at: Some(17),
            scope: Some(text("a b")),
        }),
        wanted_scope: None,
        binding: LoginBinding {
            server_url: text("https://one.example/mcp"),
            issuer: Some(text("https://login.example")),
            resource: text("https://one.example"),
            token_endpoint: text("https://login.example/token"),
            revocation_endpoint: None,
            client_auth: text("none"),
        },
        rest: Object::new(),
    }
}

fn token_of(files: &LoginFiles, key: &LoginKey) -> Option<String> {
    let tokens = files.login(key).unwrap()?.tokens?;
    Some(tokens.access_token.expose().to_owned())
}

/// Shows: S1-94. The file has the fields of S1 with its mode, and what another program wrote stays.
#[test]
fn the_owners_file_is_the_one_that_other_programs_use() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("toolgate");
    let files = LoginFiles::of_state_folder(&state);
    files.keep(&owners("one"), &login("t1")).unwrap();
    let path = state.join("mcp-auth.json");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&state).unwrap().mode() & 0o777, 0o700);
    let mut seen: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(seen["version"], 1);
    let one = &seen["servers"]["one"];
    assert_eq!(one["access_token"], "t1");
    assert_eq!(one["refresh_token"], "refresh");
    assert_eq!(one["expires_at"], 17);
    assert_eq!(one["token_type"], "Bearer");
    assert_eq!(one["scope"], "a b");
    assert_eq!(one["client_id"], "client");
    seen["note"] = "of another program".into();
    seen["servers"]["one"]["nick"] = "mine".into();
    seen["servers"]["unbound"] = json!({ "access_token": "x", "client_id": "y" });
    fs::write(&path, seen.to_string()).unwrap();
    let kept = files.login(&owners("one")).unwrap().unwrap();
    files.keep(&owners("one"), &kept).unwrap();
    let seen: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(seen["note"], "of another program");
    assert_eq!(seen["servers"]["one"]["nick"], "mine");
    assert_eq!(seen["servers"]["unbound"]["access_token"], "x");
    // Nobody knows where it may be sent.
    assert!(files.login(&owners("unbound")).unwrap().is_none());
    assert_eq!(files.all().unwrap().len(), 1);
}

#[test]
fn holders_and_accounts_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    let work = LoginKey { account: Some("work".into()), ..owners("one") };
    let elsewhere = LoginKey { url: "https://evil.example/mcp".into(), ..others("one", "p") };
    files.keep(&owners("one"), &login("mine")).unwrap();
    files.keep(&work, &login("at work")).unwrap();
    files.keep(&others("one", "p"), &login("of p")).unwrap();
    assert_eq!(token_of(&files, &owners("one")).as_deref(), Some("mine"));
    assert_eq!(token_of(&files, &work).as_deref(), Some("at work"));
    assert_eq!(token_of(&files, &others("one", "p")).as_deref(), Some("of p"));
    assert_eq!(token_of(&files, &others("one", "q")), None);
    assert_eq!(token_of(&files, &elsewhere), None);
    let mut all: Vec<_> = files.all().unwrap().into_iter().map(|(key, _)| key).collect();
    all.sort();
    let bound = |key: LoginKey| LoginKey { url: "https://one.example/mcp".into(), ..key };
    let mut wanted = vec![bound(owners("one")), bound(work), others("one", "p")];
    wanted.sort();
    assert_eq!(all, wanted);
    let holder = others("one", "p").holder;
    let (before, owners) = (files.state(&holder), files.state(&LoginHolder::Owner));
    assert!(files.forget(&others("one", "p")).unwrap());
    assert!(!files.forget(&others("one", "p")).unwrap());
    assert_ne!(files.state(&holder), before);
    assert_eq!(files.state(&LoginHolder::Owner), owners, "theirs are in another file");
}

#[test]
fn two_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let files = &files;
            scope.spawn(move || {
                for turn in 0..10 {
                    let id = format!("s{thread}-{turn}");
                    files.keep(&owners(&id), &login("t")).unwrap();
                }
            });
        }
    });
    assert_eq!(files.all().unwrap().len(), 40);
}

#[test]
fn one_renews_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    let held = files.try_renewal_lock(&owners("one")).unwrap();
    assert!(held.is_some());
    assert!(files.try_renewal_lock(&owners("one")).unwrap().is_none());
    assert!(files.try_renewal_lock(&owners("two")).unwrap().is_some());
    drop(held);
    assert!(files.try_renewal_lock(&owners("one")).unwrap().is_some());
}

#[test]
fn a_damaged_file_is_refused_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("toolgate");
    let files = LoginFiles::of_state_folder(&state);
    files.keep(&owners("one"), &login("t1")).unwrap();
    let path = state.join("mcp-auth.json");
    for damage in ["{\"servers\": {\"one\": {\"access_token\": \"canary", "[]", "{\"version\": 2}"]
    {
        fs::write(&path, damage).unwrap();
        let refused = files.login(&owners("one")).unwrap_err();
        assert!(!refused.to_string().contains("canary"), "{refused}");
        files.keep(&owners("two"), &login("t2")).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), damage);
    }
}
