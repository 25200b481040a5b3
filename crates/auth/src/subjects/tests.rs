//! Tokens as they should be, and every way in which they should not.

mod asked;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use http::{Request, Response};
use indexmap::IndexMap;
use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_testkit::SigningKey;
use toolgate_types::config::{ClaimedRole, SignatureAlgorithm, TokenIssuer};
use toolgate_types::{ConfigText, Endpoint, RoleId};

use super::issuer_keys::{APART_MS, FRESH_MS};
use super::*;
use crate::login::FetchFailure;

const ISSUER: &str = "https://id.example.com/tenant";
const GATE: &str = "https://gate.example.com";
const NOW: u64 = 1_800_000_000_000;

/// An issuer that is nothing but its documents.
#[derive(Default)]
struct PaperIssuer {
    documents: Mutex<BTreeMap<String, Value>>,
    is_down: Mutex<bool>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl GuardedFetch for PaperIssuer {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, FetchFailure> {
        let path = request.uri().path().to_owned();
        self.asked.lock().push(path.clone());
        // Others get to ask meanwhile.
        tokio::task::yield_now().await;
        if *self.is_down.lock() {
            return Err(FetchFailure::TimedOut { host: "id.example.com".to_owned() });
        }
        let found = match path.as_str() {
            "/introspect" => {
                let mut form = url::form_urlencoded::parse(request.body());
                let token = form.find(|(name, _)| name == "token").unwrap().1.into_owned();
                let known = self.documents.lock().get(&token).cloned();
                Some(known.unwrap_or_else(|| json!({"active": false})))
            }
            path => self.documents.lock().get(path).cloned(),
        };
        let status = if found.is_some() { 200 } else { 404 };
        let body = found.map(|found| found.to_string()).unwrap_or_default();
        Ok(Response::builder().status(status).body(body.into_bytes()).unwrap())
    }
}

impl PaperIssuer {
    fn publish(&self, keys: &[&SigningKey]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
        self.documents.lock().insert("/tenant/keys".to_owned(), json!({ "keys": keys }));
    }

    fn asked(&self, path: &str) -> usize {
        self.asked.lock().iter().filter(|asked| *asked == path).count()
    }
}

struct World {
    issuer: Arc<PaperIssuer>,
    subjects: OauthSubjects,
    key: SigningKey,
}

fn endpoint(url: &str) -> Endpoint {
    Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap()
}

fn settings() -> TokenIssuer {
    let role = ClaimedRole::Role(RoleId::parse("coder").unwrap());
    TokenIssuer {
        issuer: endpoint(ISSUER),
        audience: None,
        jwks_uri: None,
        introspection_endpoint: None,
        client_id: Some(ConfigText::Plain("gate".to_owned())),
        client_secret: None,
        required_scopes: Vec::new(),
        algorithms: TokenIssuer::ALGORITHMS.to_vec(),
        role_claim: "groups".to_owned(),
        roles: IndexMap::from([("eng".to_owned(), role)]),
    }
}

impl World {
    fn new() -> Self {
        Self::with(&settings())
    }

    fn with(settings: &TokenIssuer) -> Self {
        let issuer = Arc::new(PaperIssuer::default());
        let key = SigningKey::p256("k1");
        issuer.publish(&[&key]);
        let metadata = json!({
            "issuer": ISSUER,
            "jwks_uri": "https://id.example.com/tenant/keys",
            "introspection_endpoint": "https://id.example.com/introspect",
        });
        let place = "/.well-known/oauth-authorization-server/tenant".to_owned();
        issuer.documents.lock().insert(place, metadata);
        let fetch = Arc::clone(&issuer) as Arc<dyn GuardedFetch>;
        let subjects = OauthSubjects::new(settings, &endpoint(GATE), fetch);
        Self { issuer, subjects, key }
    }

    async fn refused(&self, token: &str) -> SubjectRefusal {
        self.subjects.verify(token, NOW).await.unwrap_err()
    }

    async fn refused_with(&self, change: &Value) -> SubjectRefusal {
        self.refused(&self.key.token(&claims_with(change))).await
    }
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": GATE, "sub": "alice", "iat": NOW / 1000, "exp": NOW / 1000 + 600,
        "groups": ["eng"],
    })
}

/// With these instead; what is null is left out.
fn claims_with(change: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in change.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

#[tokio::test]
async fn a_token_of_the_issuer_for_this_gate_counts() {
    let world = World::new();
    let subject = world.subjects.verify(&world.key.token(&claims()), NOW).await.unwrap();
    assert_eq!(subject.principal().as_str(), "oauth:https://id.example.com/tenant#alice");
    assert_eq!(*subject.roles(), SubjectRoles::Only(vec![RoleId::parse("coder").unwrap()]));
    for change in [
        json!({"aud": ["https://other.example", GATE]}),
        json!({"aud": "https://gate.example.com/"}),
        json!({"exp": 1_800_000_000.5}),
        json!({"nbf": NOW / 1000}),
    ] {
        let token = world.key.token(&claims_with(&change));
        assert!(world.subjects.verify(&token, NOW).await.is_ok(), "{change}");
    }
}

#[tokio::test]
async fn every_kind_of_key_that_is_named_verifies() {
    let every = TokenIssuer { algorithms: SignatureAlgorithm::ALL.to_vec(), ..settings() };
    let world = World::with(&every);
    let (rsa, edwards) = (SigningKey::rsa("k2"), SigningKey::ed25519("k3"));
    world.issuer.publish(&[&world.key, &rsa, &edwards]);
    for token in [world.key.token(&claims()), rsa.token(&claims()), edwards.token(&claims())] {
        world.subjects.verify(&token, NOW).await.unwrap();
    }
    let header = json!({"typ": "application/at+JWT", "alg": "PS256", "kid": "k2"});
    world.subjects.verify(&rsa.token_with(&header, &claims()), NOW).await.unwrap();
    let without_name = json!({"typ": "at+jwt", "alg": "EdDSA"});
    world.subjects.verify(&edwards.token_with(&without_name, &claims()), NOW).await.unwrap();
    assert_eq!(world.issuer.asked("/tenant/keys"), 1);
}

#[tokio::test]
async fn claims_that_are_not_as_they_have_to_be_are_refused() {
    let world = World::new();
    let s = NOW / 1000;
    for (change, expected) in [
        (json!({"iss": "https://id.example.com/tenant/"}), SubjectRefusal::OtherIssuer),
        (json!({"iss": "https://evil.example"}), SubjectRefusal::OtherIssuer),
        (json!({"iss": null}), SubjectRefusal::OtherIssuer),
        (json!({"iss": [ISSUER]}), SubjectRefusal::OtherIssuer),
        (json!({"aud": "https://other.example"}), SubjectRefusal::OtherAudience),
        (json!({"aud": "https://gate.example.com.evil.example"}), SubjectRefusal::OtherAudience),
        (json!({"aud": "https://gate.example.com/mcp"}), SubjectRefusal::OtherAudience),
        (json!({"aud": []}), SubjectRefusal::OtherAudience),
        (json!({"aud": null}), SubjectRefusal::OtherAudience),
        (json!({"exp": s - 31}), SubjectRefusal::Expired),
        (json!({"exp": null}), SubjectRefusal::Expired),
        (json!({"exp": "never"}), SubjectRefusal::Malformed),
        (json!({"nbf": s + 31}), SubjectRefusal::NotYet),
        (json!({"iat": s + 31}), SubjectRefusal::NotYet),
        (json!({"sub": null}), SubjectRefusal::NoSubject),
        (json!({"sub": ""}), SubjectRefusal::NoSubject),
        (json!({"sub": "a\nb"}), SubjectRefusal::NoSubject),
        (json!({"sub": "a".repeat(256)}), SubjectRefusal::NoSubject),
        (json!({"sub": 7}), SubjectRefusal::NoSubject),
        (json!({"nonce": "n"}), SubjectRefusal::IdToken),
        (json!({"at_hash": "h"}), SubjectRefusal::IdToken),
        (json!({"cnf": {"jkt": "x"}}), SubjectRefusal::Bound),
    ] {
        assert_eq!(world.refused_with(&change).await, expected, "{change}");
    }
}

#[tokio::test]
async fn headers_that_are_not_as_they_have_to_be_are_refused() {
    let world = World::new();
    let header = |change: Value| {
        let mut header = world.key.header();
        for (name, value) in change.as_object().unwrap() {
            header[name] = value.clone();
        }
        world.key.token_with(&header, &claims())
    };
    for (token, expected) in [
        (header(json!({"typ": "JWT"})), SubjectRefusal::NotAnAccessToken),
        (header(json!({"typ": null})), SubjectRefusal::NotAnAccessToken),
        (header(json!({"typ": "at+jwt+x"})), SubjectRefusal::NotAnAccessToken),
        (header(json!({"alg": "none"})), SubjectRefusal::Algorithm),
        (header(json!({"alg": "HS256"})), SubjectRefusal::Algorithm),
        (header(json!({"alg": "es256"})), SubjectRefusal::Algorithm),
        (header(json!({"alg": "ES384"})), SubjectRefusal::Algorithm),
        (header(json!({"crit": ["exp"]})), SubjectRefusal::Critical),
        (header(json!({"alg": "RS256"})), SubjectRefusal::UnknownKey),
    ] {
        assert_eq!(world.refused(&token).await, expected, "{token}");
    }
}

#[tokio::test]
async fn what_nobody_signed_is_refused() {
    let world = World::new();
    let token = world.key.token(&claims());
    let (unsigned, signature) = token.rsplit_once('.').unwrap();
    let forged = SigningKey::p256("k1");
    let none = json!({"typ": "at+jwt", "alg": "none", "kid": "k1"});
    let shared = json!({"typ": "at+jwt", "alg": "HS256", "kid": "k1"});
    let public = world.key.jwk().to_string();
    let mut other = claims();
    other["sub"] = "mallory".into();
    let swapped = world.key.token(&other);
    let swapped = swapped.rsplit_once('.').unwrap().0;
    for (token, expected) in [
        (forged.token(&claims()), SubjectRefusal::Signature),
        (format!("{swapped}.{signature}"), SubjectRefusal::Signature),
        (format!("{unsigned}."), SubjectRefusal::Signature),
        (format!("{unsigned}.{signature}="), SubjectRefusal::Malformed),
        (world.key.token_with(&none, &claims()), SubjectRefusal::Algorithm),
        (
            SigningKey::token_by_secret(&shared, &claims(), public.as_bytes()),
            SubjectRefusal::Algorithm,
        ),
        ("a".repeat(LONGEST + 1), SubjectRefusal::TooLong),
    ] {
        assert_eq!(world.refused(&token).await, expected, "{token}");
    }
}

#[tokio::test]
async fn a_list_of_keys_has_none_that_somebody_else_could_sign_with() {
    let world = World::new();
    let mut for_encryption = world.key.jwk();
    for_encryption["use"] = "enc".into();
    let mut for_wrapping = world.key.jwk();
    for_wrapping["key_ops"] = json!(["wrapKey"]);
    let mut of_another_way = world.key.jwk();
    of_another_way["alg"] = "ES384".into();
    let secret = json!({"kty": "oct", "k": "AAAA", "kid": "k1"});
    let keys = json!({"keys": [for_encryption, for_wrapping, of_another_way, secret, 7]});
    world.issuer.documents.lock().insert("/tenant/keys".to_owned(), keys);
    assert_eq!(world.refused(&world.key.token(&claims())).await, SubjectRefusal::UnknownKey);
}

#[tokio::test]
async fn what_was_verified_is_not_verified_again_until_it_ends_or_its_key_does() {
    let world = World::new();
    let token = world.key.token(&claims());
    let first = world.subjects.verify(&token, NOW).await.unwrap();
    let again = world.subjects.verify(&token, NOW + 1).await.unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    let ended = world.subjects.verify(&token, NOW + 630_000).await;
    assert_eq!(ended.unwrap_err(), SubjectRefusal::Expired);
    // Its key is withdrawn: another one's token has the keys fetched, and this one ends with it.
    let next = SigningKey::p256("k2");
    world.issuer.publish(&[&next]);
    let later = NOW + APART_MS;
    world.subjects.verify(&next.token(&claims()), later).await.unwrap();
    assert_eq!(world.subjects.verify(&token, later).await.unwrap_err(), SubjectRefusal::UnknownKey);
}

#[tokio::test]
async fn a_withdrawn_key_is_noticed_by_itself() {
    let world = World::new();
    let lasting = claims_with(&json!({"exp": NOW / 1000 + 86_400}));
    let token = world.key.token(&lasting);
    world.subjects.verify(&token, NOW).await.unwrap();
    world.issuer.publish(&[&SigningKey::p256("k2")]);
    let late = NOW + FRESH_MS;
    world.subjects.verify(&token, late).await.unwrap();
    while world.subjects.keys.generation(late) < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.subjects.verify(&token, late).await.unwrap_err(), SubjectRefusal::UnknownKey);
}

#[tokio::test]
async fn unknown_keys_lead_to_one_request_in_half_a_minute() {
    let world = World::new();
    world.subjects.verify(&world.key.token(&claims()), NOW).await.unwrap();
    for number in 0..50 {
        let foreign = SigningKey::p256(&format!("made-up-{number}"));
        assert_eq!(world.refused(&foreign.token(&claims())).await, SubjectRefusal::UnknownKey);
    }
    assert_eq!(world.issuer.asked("/tenant/keys"), 1, "the first was a moment ago");
    let next = SigningKey::p256("k2");
    world.issuer.publish(&[&world.key, &next]);
    let later = NOW + APART_MS;
    let token = next.token(&claims());
    let crowd = (0..50).map(|_| world.subjects.verify(&token, later));
    let mut crowd: Vec<_> = crowd.map(Box::pin).collect();
    for one in &mut crowd {
        one.await.unwrap();
    }
    assert_eq!(world.issuer.asked("/tenant/keys"), 2);
}

#[tokio::test]
async fn those_who_come_together_wait_for_one_request() {
    let world = World::new();
    let token = world.key.token(&claims());
    let (one, two, three) = tokio::join!(
        world.subjects.verify(&token, NOW),
        world.subjects.verify(&token, NOW),
        world.subjects.verify(&token, NOW),
    );
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(world.issuer.asked("/tenant/keys"), 1);
}

#[tokio::test]
async fn keys_stay_while_the_issuer_cannot_be_reached() {
    let world = World::new();
    world.subjects.verify(&world.key.token(&claims()), NOW).await.unwrap();
    *world.issuer.is_down.lock() = true;
    let late = NOW + FRESH_MS;
    let lasting = json!({"sub": "bob", "exp": NOW / 1000 + 86_400});
    let lasting = world.key.token(&claims_with(&lasting));
    world.subjects.verify(&lasting, late).await.unwrap();
    let unknown = SigningKey::p256("k2").token(&claims_with(&json!({"exp": NOW / 1000 + 86_400})));
    let refused = world.subjects.verify(&unknown, late + APART_MS).await.unwrap_err();
    assert_eq!(refused, SubjectRefusal::UnknownKey);
}

#[tokio::test]
async fn without_any_key_nobody_could_look() {
    let world = World::new();
    *world.issuer.is_down.lock() = true;
    let token = world.key.token(&claims());
    assert!(!world.refused(&token).await.is_final());
    *world.issuer.is_down.lock() = false;
    world.subjects.verify(&token, NOW + 5_000).await.unwrap();
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_believed() {
    let world = World::new();
    let place = "/.well-known/oauth-authorization-server/tenant".to_owned();
    let metadata = json!({"issuer": "https://evil.example", "jwks_uri": "https://evil.example/k"});
    world.issuer.documents.lock().insert(place, metadata);
    let refused = world.refused(&world.key.token(&claims())).await;
    assert!(matches!(&refused, SubjectRefusal::Unchecked(why) if why.contains("calls itself")));
}

#[tokio::test]
async fn scopes_that_are_required_have_to_be_there() {
    let required = vec!["mcp".to_owned(), "call".to_owned()];
    let world = World::with(&TokenIssuer { required_scopes: required, ..settings() });
    for lacking in [json!({}), json!({"scope": "mcp"}), json!({"scope": "mcpcall call"})] {
        assert_eq!(world.refused_with(&lacking).await, SubjectRefusal::Scope, "{lacking}");
    }
    for enough in [json!({"scope": "call x mcp"}), json!({"scp": ["mcp", "call"]})] {
        let token = world.key.token(&claims_with(&enough));
        assert!(world.subjects.verify(&token, NOW).await.is_ok(), "{enough}");
    }
}
