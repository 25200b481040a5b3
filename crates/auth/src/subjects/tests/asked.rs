//! Tokens about which the issuer is asked.

use serde_json::{Value, json};
use toolgate_testkit::SigningKey;
use toolgate_types::config::TokenIssuer;

use super::{NOW, World, claims, claims_with, settings};
use crate::subjects::SubjectRefusal;
use crate::subjects::known_subjects::{BELIEVED_MS, MOST};

#[tokio::test]
async fn the_issuer_is_asked_about_what_is_no_jwt() {
    let world = World::new();
    let say = |token: &str, told: Value| {
        world.issuer.documents.lock().insert(token.to_owned(), told);
    };
    let mut told = claims();
    told["active"] = true.into();
    say("opaque-1", told.clone());
    let subject = world.subjects.verify("opaque-1", NOW).await.unwrap();
    assert_eq!(subject.principal().as_str(), "oauth:https://id.example.com/tenant#alice");
    world.subjects.verify("opaque-1", NOW + 1).await.unwrap();
    assert_eq!(world.issuer.asked("/introspect"), 1, "remembered for a moment");
    say("opaque-1", json!({"active": false}));
    let ended = world.subjects.verify("opaque-1", NOW + BELIEVED_MS).await;
    assert_eq!(ended.unwrap_err(), SubjectRefusal::Inactive, "and for no longer");
    for (name, change, expected) in [
        ("a", json!({"aud": "https://other.example"}), SubjectRefusal::OtherAudience),
        ("b", json!({"aud": null}), SubjectRefusal::OtherAudience),
        ("c", json!({"iss": "https://evil.example"}), SubjectRefusal::OtherIssuer),
        ("d", json!({"exp": null}), SubjectRefusal::Expired),
        ("e", json!({"sub": null}), SubjectRefusal::NoSubject),
        ("f", json!({"active": "true"}), SubjectRefusal::Inactive),
        ("g", json!({"active": true, "token_type": "DPoP"}), SubjectRefusal::NotAnAccessToken),
    ] {
        let mut claims = claims_with(&change);
        claims["active"] = claims.get("active").cloned().unwrap_or(true.into());
        say(name, claims);
        assert_eq!(world.refused(name).await, expected, "{name}");
    }
    assert_eq!(world.refused("nobody-knows").await, SubjectRefusal::Inactive);
}

#[tokio::test]
async fn what_is_remembered_of_an_asked_token_never_outlives_it() {
    let world = World::new();
    let mut told = claims_with(&json!({"exp": NOW / 1000 - 25}));
    told["active"] = true.into();
    world.issuer.documents.lock().insert("soon".to_owned(), told);
    world.subjects.verify("soon", NOW).await.unwrap();
    let ended = world.subjects.verify("soon", NOW + 5_000).await;
    assert_eq!(ended.unwrap_err(), SubjectRefusal::Expired);
}

#[tokio::test]
async fn strangers_do_not_have_the_issuer_asked_without_end() {
    let world = World::new();
    for number in 0..MOST {
        let refused = world.refused(&format!("made-up-{number}")).await;
        assert_eq!(refused, SubjectRefusal::Inactive);
    }
    assert_eq!(world.refused("one-more").await, SubjectRefusal::Crowded);
    assert_eq!(world.issuer.asked("/introspect"), MOST);
}

#[tokio::test]
async fn a_jwt_is_never_asked_about_and_without_a_client_nothing_is() {
    let world = World::new();
    let forged = SigningKey::p256("k1").token(&claims());
    let mut told = claims();
    told["active"] = true.into();
    world.issuer.documents.lock().insert(forged.clone(), told);
    assert_eq!(world.refused(&forged).await, SubjectRefusal::Signature);
    assert_eq!(world.issuer.asked("/introspect"), 0);
    let world = World::with(&TokenIssuer { client_id: None, ..settings() });
    assert_eq!(world.refused("opaque").await, SubjectRefusal::NobodyToAsk);
    assert_eq!(world.issuer.asked("/introspect"), 0);
}
