//! What a person is sent away with, what is redeemed, and what an answer does to the attempt.

use serde_json::json;
use toolgate_types::ConfigText;
use toolgate_types::config::Oauth;

use super::*;
use crate::login::AuthorizationServer;
use crate::login::played_token_endpoint::PlayedTokenEndpoint;

const REDIRECT: &str = "http://localhost:4711/mcp/oauth/callback";
const RESOURCE: &str = "https://a.example/mcp";

fn offer(is_s256: bool) -> LoginOffer {
    let document = json!({
        "issuer": "https://l.example",
        "authorization_endpoint": "https://l.example/authorize",
        "token_endpoint": "https://l.example/token",
        "code_challenge_methods_supported": [if is_s256 { "S256" } else { "plain" }],
    });
    let server = AuthorizationServer::read(document.to_string().as_bytes(), "https://l.example");
    let server = server.unwrap().unwrap();
    LoginOffer { resource: RESOURCE.to_owned(), server, resource_scopes: None }
}

async fn begun(
    is_s256: bool,
    endpoint: &PlayedTokenEndpoint,
) -> Result<AuthorizationAttempt, LoginError> {
    let client_id = Some(ConfigText::Plain("client".to_owned()));
    let configured = Oauth { client_id, ..Oauth::default() };
    let wish = LoginWish {
        server_url: RESOURCE,
        configured: &configured,
        challenge: None,
        scope: None,
        known: None,
        redirect: REDIRECT,
    };
    AuthorizationAttempt::begin(offer(is_s256), wish, endpoint).await
}

fn endpoint() -> PlayedTokenEndpoint {
    PlayedTokenEndpoint::answering(json!({ "access_token": "a", "token_type": "Bearer" }))
}

fn in_link(attempt: &AuthorizationAttempt, name: &str) -> String {
    let mut pairs = attempt.link().query_pairs();
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap()
}

fn answer(state: &str) -> AuthorizationCallback {
    AuthorizationCallback::parse(&format!("{REDIRECT}?code=c0de&state={state}")).unwrap()
}

#[tokio::test]
async fn nobody_is_sent_to_a_server_that_does_not_check_codes_with_s256() {
    let endpoint = endpoint();
    let refused = begun(false, &endpoint).await;
    assert!(matches!(refused, Err(LoginError::BadMetadata(_))), "{refused:?}");
    assert!(endpoint.sent().is_empty());
}

#[tokio::test]
async fn a_code_is_redeemed_with_what_the_link_promised() {
    let endpoint = endpoint();
    let attempt = begun(true, &endpoint).await.unwrap();
    assert_eq!(in_link(&attempt, "code_challenge_method"), "S256");
    assert_eq!(in_link(&attempt, "resource"), RESOURCE);
    assert_eq!(in_link(&attempt, "redirect_uri"), REDIRECT);
    let (challenge, state) = (in_link(&attempt, "code_challenge"), in_link(&attempt, "state"));
    assert!(!attempt.link().as_str().contains(attempt.verifier.expose()), "it is a secret");
    attempt.finish(&answer(&state), &endpoint, 0).await.unwrap();
    let [form] = &endpoint.sent()[..] else { unreachable!("{:?}", endpoint.sent()) };
    let verifier = &form["code_verifier"];
    assert!(verifier.len() >= 43, "what RFC 7636 asks for: {verifier}");
    assert_eq!(URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)), challenge);
    assert_eq!((&*form["code"], &*form["redirect_uri"]), ("c0de", REDIRECT));
    assert_eq!(form["resource"], RESOURCE);
}

#[tokio::test]
async fn no_two_attempts_share_a_state_or_a_verifier() {
    let endpoint = endpoint();
    let (one, other) =
        (begun(true, &endpoint).await.unwrap(), begun(true, &endpoint).await.unwrap());
    assert_ne!(in_link(&one, "state"), in_link(&other, "state"));
    assert_ne!(in_link(&one, "code_challenge"), in_link(&other, "code_challenge"));
}

#[tokio::test]
async fn a_strangers_answer_gives_the_attempt_back_and_a_no_does_not() {
    let endpoint = endpoint();
    let attempt = begun(true, &endpoint).await.unwrap();
    let state = in_link(&attempt, "state");
    let refused = attempt.finish(&answer("other"), &endpoint, 0).await.unwrap_err();
    let attempt = refused.attempt.unwrap();
    let no = format!("{REDIRECT}?state={state}&error=access_denied");
    let no = AuthorizationCallback::parse(&no).unwrap();
    let refused = attempt.finish(&no, &endpoint, 0).await.unwrap_err();
    assert!(refused.attempt.is_none());
    assert!(endpoint.sent().is_empty(), "no code was redeemed");
}
