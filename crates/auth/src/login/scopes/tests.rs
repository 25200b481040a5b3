//! More is asked for where a server wanted more, and what was granted is not lost by it.

use serde_json::Map;
use toolgate_store::{KeptLogin, LoginBinding, LoginTokens};
use toolgate_types::Secret;
use toolgate_types::config::Oauth;

use super::*;
use crate::login::{AuthorizationServer, OauthEndpoint};

fn offer() -> LoginOffer {
    LoginOffer {
        resource: "https://one.example/mcp".to_owned(),
        server: AuthorizationServer {
            issuer: None,
            authorization: None,
            token: OauthEndpoint::parse("token_endpoint", "https://id.example/token").unwrap(),
            registration: None,
            revocation: None,
            device: None,
            scopes: Vec::new(),
            client_auths: None,
            is_s256: true,
            takes_client_documents: false,
            names_issuer: false,
        },
        resource_scopes: Some("all of it".to_owned()),
    }
}

fn known(wanted: Option<&str>) -> KeptLogin {
    let text = |text: &str| text.to_owned();
    KeptLogin {
        client_id: text("client"),
        client_secret: None,
        tokens: Some(LoginTokens {
            access_token: Secret::new(text("t")),
            refresh_token: None,
            expires_at: None,
            scope: Some(text("read list")),
        }),
        wanted_scope: wanted.map(text),
        binding: LoginBinding {
            server_url: text("https://one.example/mcp"),
            issuer: None,
            resource: text("https://one.example/mcp"),
            token_endpoint: text("https://id.example/token"),
            revocation_endpoint: None,
            client_auth: text("none"),
        },
        rest: Map::new(),
    }
}

/// Shows: E-2. A server that answered `insufficient_scope` is asked for that beside what was granted.
#[test]
fn a_step_up_keeps_what_was_granted() {
    let (offer, configured) = (offer(), Oauth::default());
    let asked = |known: Option<&KeptLogin>, scope: Option<&str>| {
        let wish = LoginWish {
            server_url: "https://one.example/mcp",
            configured: &configured,
            challenge: None,
            scope,
            known,
            redirect: "",
        };
        scope_to_ask(&offer, &wish).unwrap()
    };
    assert_eq!(asked(None, None), "all of it");
    assert_eq!(asked(Some(&known(Some("write"))), None), "write read list");
    assert_eq!(asked(Some(&known(Some("write"))), Some("just this")), "just this");
    assert_eq!(asked(Some(&known(None)), None), "all of it");
}
