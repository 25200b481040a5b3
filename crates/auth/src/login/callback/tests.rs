//! Every change to an answer makes it worth nothing.

use super::*;
use crate::login::OauthEndpoint;

const REDIRECT: &str = "http://localhost:4711/mcp/oauth/callback";

fn server(names_issuer: bool) -> AuthorizationServer {
    AuthorizationServer {
        issuer: Some("https://l.example".to_owned()),
        authorization: None,
        token: OauthEndpoint::parse("token_endpoint", "https://l.example/token").unwrap(),
        registration: None,
        revocation: None,
        device: None,
        scopes: Vec::new(),
        client_auths: None,
        is_s256: true,
        takes_client_documents: false,
        names_issuer,
    }
}

fn judged(url: &str, names_issuer: bool) -> CallbackVerdict {
    let state = Secret::new("st4te".to_owned());
    AuthorizationCallback::parse(url).unwrap().judge(REDIRECT, &state, &server(names_issuer))
}

#[test]
fn the_right_answer_gives_its_code() {
    let code = CallbackVerdict::Code("c0de".to_owned());
    assert_eq!(judged(&format!("{REDIRECT}?code=c0de&state=st4te"), false), code);
    let named = format!("{REDIRECT}?code=c0de&state=st4te&iss=https%3A%2F%2Fl.example");
    assert_eq!(judged(&named, false), code);
    assert_eq!(judged(&named, true), code);
}

#[test]
fn a_strangers_answer_ends_nothing() {
    for stranger in [
        "http://localhost:4711/mcp/oauth/callback?code=c0de&state=other",
        "http://localhost:4711/mcp/oauth/callback?code=c0de",
        "http://localhost:4711/mcp/oauth/callback?code=c0de&state=st4te&state=st4te",
        "http://localhost:4711/mcp/oauth/callback?code=c0de&state=st4te%00",
        "http://localhost:4711/mcp/oauth/callback?error=access_denied",
        "http://localhost:4711/mcp/oauth/callback/?code=c0de&state=st4te",
        "http://localhost:4712/mcp/oauth/callback?code=c0de&state=st4te",
        "https://localhost:4711/mcp/oauth/callback?code=c0de&state=st4te",
        "http://evil.example/mcp/oauth/callback?code=c0de&state=st4te",
    ] {
        assert!(matches!(judged(stranger, false), CallbackVerdict::Stranger(_)), "{stranger}");
    }
}

#[test]
fn an_answer_of_another_issuer_is_no_answer_and_its_words_are_not_told() {
    for (rest, names_issuer) in [
        ("&code=c&iss=https%3A%2F%2Fevil.example", false),
        ("&code=c&iss=https%3A%2F%2Fl.example%2F", false),
        ("&code=c&iss=https%3A%2F%2Fl.example&iss=https%3A%2F%2Fevil.example", false),
        ("&code=c", true),
        ("&error=x&error_description=canary&iss=https%3A%2F%2Fevil.example", false),
    ] {
        let judged = judged(&format!("{REDIRECT}?state=st4te{rest}"), names_issuer);
        let CallbackVerdict::No(LoginError::NotBelieved(_)) = &judged else {
            unreachable!("{rest}: {judged:?}");
        };
        assert!(!format!("{judged:?}").contains("canary"), "{judged:?}");
    }
}

#[test]
fn a_no_is_told_in_words_that_do_no_harm() {
    let refused = judged(
        &format!("{REDIRECT}?state=st4te&error=access_denied&error_description=%3Cb%3E%1b%5b2J"),
        false,
    );
    let told = "access_denied (<b>\\u{1b}[2J)".to_owned();
    assert_eq!(refused, CallbackVerdict::No(LoginError::Refused(told)));
    // Who says both is taken at the word that does no harm.
    let both = judged(&format!("{REDIRECT}?state=st4te&code=c0de&error=access_denied"), false);
    assert_eq!(both, CallbackVerdict::No(LoginError::Refused("access_denied".to_owned())));
    for odd in ["&code=", "", "&code=a&code=b", "&code=c&error=a&error=b"] {
        let judged = judged(&format!("{REDIRECT}?state=st4te{odd}"), false);
        assert!(matches!(judged, CallbackVerdict::No(LoginError::NotBelieved(_))), "{odd}");
    }
}
