//! Servers that let some things pass and want a token, or a better one, for others.

use super::*;

/// Servers that leave the handshake open: what comes after it says what is wanted, and where nothing that
/// is asked is refused, what they publish does.
#[tokio::test(flavor = "current_thread")]
async fn a_server_whose_handshake_is_open_is_logged_in_to() {
    for open in [
        &["server/discover", "initialize"][..],
        &["server/discover", "initialize", "tools/list"][..],
    ] {
        let open = open.iter().map(|&method| method.to_owned()).collect();
        let world = LoginWorld::with(LoginManners { open, ..LoginManners::default() }).await;
        let person = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
        world.log_in(&person).await.unwrap().unwrap();
    }
}

/// What was granted is asked for again beside what is wanted now.
#[tokio::test(flavor = "current_thread")]
async fn a_scope_that_is_wanted_later_is_asked_for_beside_what_was_granted() {
    let world = LoginWorld::new().await;
    let person = || ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    let first = world.log_in(&person()).await.unwrap().unwrap();
    let tokens = first
        .tokens
        .clone()
        .map(|tokens| toolgate_store::LoginTokens { scope: Some("read".to_owned()), ..tokens });
    world.logins.keep(&world.key(), &KeptLogin { tokens, ..first }).unwrap();
    world.logins.want(&world.key(), "write").unwrap();
    assert!(!world.logins.has_granted(&world.key(), "write"));
    world.log_in(&person()).await.unwrap().unwrap();
    let asked = world.provider.visits("/authorize").remove(1).fields;
    assert_eq!(asked["scope"], "write read");
    assert!(world.logins.has_granted(&world.key(), "read write"));
    assert!(!world.logins.has_granted(&world.key(), "read write admin"));
}
