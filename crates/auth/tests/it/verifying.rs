//! Verifying: who a text stands for, for how long that is believed, and why it is refused.

use std::sync::Arc;

use toolgate_auth::callers::{BELIEVED_MS, ClientTokens, NewToken, TokenRefusal};
use toolgate_store::{KeptToken, MemoryStore, SqliteStore, TokenKind, Tokens as _};
use toolgate_types::{Principal, RoleId};

use crate::{NOW, folder, made, name, new, process, verified, wait};

fn role(id: &str) -> RoleId {
    RoleId::parse(id).unwrap()
}

#[test]
fn a_verified_caller_is_named_after_its_token_and_keeps_what_it_was_given() {
    let tokens = ClientTokens::new(Arc::new(MemoryStore::default()));
    let given = NewToken {
        roles: Some([role("dev")].into()),
        client: Some("cursor".into()),
        shows_forms: true,
        is_owners: true,
        expires_at: Some(NOW + 9),
        ..new("ci")
    };
    let text = made(&tokens, given);
    // Once from the store, once from memory.
    for now in [NOW, NOW + 1] {
        let caller = wait(tokens.verify(&text, now)).unwrap();
        assert_eq!(caller.principal().as_str(), "token:ci");
        assert_eq!((caller.client(), caller.expires_at()), (Some("cursor"), Some(NOW + 9)));
        assert_eq!(caller.roles().unwrap().len(), 1);
        assert!(caller.shows_forms());
    }
    let plain = made(&tokens, new("plain"));
    assert!(!wait(tokens.verify(&plain, NOW)).unwrap().shows_forms(), "nobody said so");
}

#[test]
fn only_a_token_that_was_made_for_the_owner_and_has_no_roles_is_the_owners() {
    let tokens = ClientTokens::new(Arc::new(MemoryStore::default()));
    let owner = |given: NewToken| {
        let verified = wait(tokens.verify(&made(&tokens, given), NOW)).unwrap();
        verified.owner().as_str().to_owned()
    };
    let mine = |name: &str| NewToken { is_owners: true, ..new(name) };
    assert_eq!(owner(mine("laptop")), Principal::local_user().as_str());
    assert_eq!(owner(new("ci")), "token:ci");
    let roles = Some([role("dev")].into());
    assert_eq!(owner(NewToken { roles, ..mine("dev") }), "token:dev");
}

#[test]
fn the_roles_of_a_token_are_a_ceiling() {
    let tokens = ClientTokens::new(Arc::new(MemoryStore::default()));
    let free = made(&tokens, new("free"));
    let bound = made(&tokens, NewToken { roles: Some([role("dev")].into()), ..new("bound") });
    let none = made(&tokens, NewToken { roles: Some([].into()), ..new("none") });
    let may = |text: &str| {
        let caller = wait(tokens.verify(text, NOW)).unwrap();
        [Some(role("dev")), Some(role("ops")), None].map(|role| caller.may_act_as(role.as_ref()))
    };
    assert_eq!(may(&free), [true, true, true]);
    assert_eq!(may(&bound), [true, false, false]);
    assert_eq!(may(&none), [false, false, false]);
}

#[test]
fn what_is_no_token_or_nobodys_is_refused() {
    let state = folder();
    let tokens = process(state.path());
    let text = made(&tokens, new("ci"));
    for wrong in ["", "ci", "tgt_", &text[1..], &format!("{text} "), &text.to_uppercase()] {
        assert_eq!(verified(&tokens, wrong, NOW), Err(TokenRefusal::Malformed), "{wrong}");
    }
    let other = made(&process(folder().path()), new("ci"));
    assert_eq!(verified(&tokens, &other, NOW), Err(TokenRefusal::Unknown));
    assert!(TokenRefusal::Unknown.is_final());
}

#[test]
fn a_token_counts_until_it_expires_also_when_it_is_remembered() {
    let state = folder();
    let tokens = process(state.path());
    let end = NOW + 100;
    let text = made(&tokens, NewToken { expires_at: Some(end), ..new("ci") });
    assert_eq!(verified(&tokens, &text, end - 1), Ok("ci".into()));
    let expired = Err(TokenRefusal::Expired { name: name("ci") });
    assert_eq!(verified(&tokens, &text, end), expired);
    assert_eq!(verified(&process(state.path()), &text, end), expired);
    assert_eq!(verified(&tokens, &text, end + 10 * BELIEVED_MS), expired);
}

#[test]
fn only_who_was_verified_a_moment_ago_and_still_counts_is_recalled() {
    let state = folder();
    let tokens = process(state.path());
    let end = NOW + BELIEVED_MS + 100;
    let text = made(&tokens, NewToken { expires_at: Some(end), ..new("ci") });
    let other = made(&process(folder().path()), new("ci"));
    let recalled = |text: &str, now| tokens.recall(text, now).map(|one| one.name().to_string());
    assert_eq!(recalled(&text, NOW), None, "nobody verified it yet");
    verified(&tokens, &text, NOW).unwrap();
    verified(&tokens, &other, NOW).unwrap_err();
    assert_eq!(recalled(&text, NOW + BELIEVED_MS - 1), Some("ci".into()));
    for wrong in ["", "ci", &text[1..], &other] {
        assert_eq!(recalled(wrong, NOW), None, "{wrong}");
    }
    assert_eq!(recalled(&text, NOW + BELIEVED_MS), None, "too long ago");
    verified(&tokens, &text, end - 1).unwrap();
    assert_eq!(recalled(&text, end), None, "it expired");
    verified(&tokens, &text, end - 1).unwrap();
    assert_eq!(recalled(&text, end - 1), Some("ci".into()));
    wait(tokens.revoke(&name("ci"), end - 1)).unwrap();
    assert_eq!(recalled(&text, end - 1), None, "it was revoked");
}

#[test]
fn what_another_process_revoked_is_refused_as_soon_as_memory_is_too_old() {
    let state = folder();
    let [gateway, command] = [(); 2].map(|()| process(state.path()));
    let text = made(&command, new("ci"));
    assert_eq!(verified(&gateway, &text, NOW), Ok("ci".into()));
    assert!(wait(command.revoke(&name("ci"), NOW)).unwrap());
    // Still believed: so it is memory that answers, and not the store.
    assert_eq!(verified(&gateway, &text, NOW + BELIEVED_MS - 1), Ok("ci".into()));
    let revoked = Err(TokenRefusal::Revoked { name: name("ci") });
    assert_eq!(verified(&gateway, &text, NOW + BELIEVED_MS), revoked);
    assert_eq!(verified(&gateway, &text, NOW + BELIEVED_MS + 1), revoked);
}

#[test]
fn what_was_revoked_here_is_refused_at_once() {
    let state = folder();
    let tokens = process(state.path());
    let [text, other] = ["ci", "other"].map(|token| made(&tokens, new(token)));
    for text in [&text, &other] {
        verified(&tokens, text, NOW).unwrap();
    }
    assert!(wait(tokens.revoke(&name("ci"), NOW)).unwrap());
    assert_eq!(verified(&tokens, &text, NOW), Err(TokenRefusal::Revoked { name: name("ci") }));
    assert_eq!(verified(&tokens, &other, NOW), Ok("other".into()));
}

#[test]
fn a_token_that_another_process_made_counts_at_once() {
    let state = folder();
    let [gateway, command] = [(); 2].map(|()| process(state.path()));
    assert!(verified(&gateway, &made(&process(folder().path()), new("x")), NOW).is_err());
    assert_eq!(verified(&gateway, &made(&command, new("ci")), NOW), Ok("ci".into()));
}

#[test]
fn a_refusal_is_remembered_for_a_moment_too() {
    let (state, elsewhere) = (folder(), folder());
    let gateway = process(state.path());
    let (text, record) = wait(process(elsewhere.path()).create(new("ci"), NOW)).unwrap();
    assert_eq!(verified(&gateway, text.expose(), NOW), Err(TokenRefusal::Unknown));
    assert!(wait(SqliteStore::open(state.path()).unwrap().keep_token(record)).unwrap());
    let later = NOW + BELIEVED_MS;
    assert_eq!(verified(&gateway, text.expose(), later - 1), Err(TokenRefusal::Unknown));
    assert_eq!(verified(&gateway, text.expose(), later), Ok("ci".into()));
}

#[test]
fn a_token_for_the_gate_itself_is_no_clients() {
    let (state, elsewhere) = (folder(), folder());
    let (text, record) = wait(process(elsewhere.path()).create(new("me"), NOW)).unwrap();
    let admin = KeptToken { kind: TokenKind::Admin, ..record };
    assert!(wait(SqliteStore::open(state.path()).unwrap().keep_token(admin)).unwrap());
    let refused = verified(&process(state.path()), text.expose(), NOW);
    assert_eq!(refused, Err(TokenRefusal::NotAClient { name: name("me") }));
}

#[test]
fn why_a_token_is_refused_never_shows_it() {
    let state = folder();
    let tokens = process(state.path());
    let text = made(&process(folder().path()), new("ci"));
    let refusal = verified(&tokens, &text, NOW).unwrap_err();
    assert!(!format!("{refusal} {refusal:?}").contains(&text[4..]));
}
