//! What a caller's token is exchanged for, and that it is never passed on itself.

use serde_json::{Value, json};
use toolgate_store::LoginHolder;
use toolgate_types::{ConfigText, Endpoint, ServerId};

use super::*;
use crate::login::played_token_endpoint::PlayedTokenEndpoint;

const CALLER: &str = "oauth:https://id.example#ada";

async fn exchanged(answer: Value) -> (Result<Option<Secret>, LoginError>, PlayedTokenEndpoint) {
    let callers = CallerTokens::default();
    callers.show(CALLER, "shown-to-us", 1_000_000, 0);
    let holder = LoginHolder::Other { principal: CALLER.to_owned() };
    let (server, url) = (ServerId::parse("one").unwrap(), "https://a.example/mcp".to_owned());
    let key = LoginKey { server, url, holder, account: None };
    let plain = |text: &str| ConfigText::Plain(text.to_owned());
    let configured = Oauth {
        token_url: Some(Endpoint::parse(plain("https://id.example/token")).unwrap()),
        client_id: Some(plain("gate")),
        ..Oauth::default()
    };
    let endpoint = PlayedTokenEndpoint::answering(answer);
    let got = exchanged_token(&callers, CALLER, &key, &configured, &endpoint, 0).await;
    (got, endpoint)
}

#[tokio::test]
async fn a_caller_gets_another_token_for_the_server() {
    let (got, endpoint) = exchanged(json!({ "access_token": "for-one" })).await;
    assert_eq!(got.unwrap().unwrap().expose(), "for-one");
    let [form] = &endpoint.sent()[..] else { unreachable!("{:?}", endpoint.sent()) };
    assert_eq!(form["subject_token"], "shown-to-us");
    assert_eq!(form["resource"], "https://a.example/mcp");
}

#[tokio::test]
async fn token_passthrough_who_gives_the_callers_own_token_back_gives_none() {
    let (got, _) = exchanged(json!({ "access_token": "shown-to-us" })).await;
    assert!(matches!(got, Err(LoginError::NotBelieved(_))), "{got:?}");
}
