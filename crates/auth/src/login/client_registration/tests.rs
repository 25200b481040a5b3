//! Which client one is, without asking anybody where that is not needed.

use async_trait::async_trait;
use toolgate_types::{ConfigText, Endpoint};

use super::*;
use crate::login::FetchFailure;

struct NobodyAsks;

#[async_trait]
impl GuardedFetch for NobodyAsks {
    async fn fetch(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, FetchFailure> {
        panic!("nobody was to be asked: {}", request.uri());
    }
}

fn server(takes_client_documents: bool) -> AuthorizationServer {
    let at =
        |path: &str| OauthEndpoint::parse(path, &format!("https://id.example/{path}")).unwrap();
    AuthorizationServer {
        issuer: Some("https://id.example".to_owned()),
        authorization: Some(at("authorize")),
        token: at("token"),
        registration: None,
        revocation: None,
        device: None,
        scopes: Vec::new(),
        client_auths: Some(vec![NONE.to_owned()]),
        is_s256: true,
        takes_client_documents,
        names_issuer: true,
    }
}

async fn chosen(server: &AuthorizationServer, configured: &Oauth) -> Result<String, LoginError> {
    let redirect = "http://localhost:1/callback";
    let client = choose_client(server, configured, None, redirect, None, &NobodyAsks).await;
    client.map(|client| client.id)
}

/// Shows: E-2. A configured client goes first, then the document about us where the server takes one.
#[tokio::test]
async fn a_document_stands_in_for_a_registration() {
    let text = |text: &str| ConfigText::Plain(text.to_owned());
    let document = "https://gate.example/client.json";
    let client_metadata_url = Some(Endpoint::parse(text(document)).unwrap());
    let with_document = Oauth { client_metadata_url, ..Oauth::default() };
    assert_eq!(chosen(&server(true), &with_document).await.unwrap(), document);
    let refused = chosen(&server(false), &with_document).await.unwrap_err();
    assert!(matches!(refused, LoginError::NeedsRegistration(_)), "{refused}");
    let configured = Oauth { client_id: Some(text("ours")), ..with_document };
    assert_eq!(chosen(&server(true), &configured).await.unwrap(), "ours");
}
