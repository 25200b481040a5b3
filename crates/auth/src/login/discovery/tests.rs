//! What is looked for, in which order, and what is never believed.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_types::{ConfigText, Endpoint};

use super::*;
use crate::login::FetchFailure;

/// A network of documents by their URL; what else is asked for is not there.
#[derive(Default)]
struct PublishedDocuments {
    documents: BTreeMap<String, (StatusCode, String)>,
    asked: Mutex<Vec<String>>,
}

impl PublishedDocuments {
    fn with(mut self, url: &str, document: Value) -> Self {
        self.documents.insert(url.to_owned(), (StatusCode::OK, document.to_string()));
        self
    }

    fn redirecting(mut self, url: &str, to: &str) -> Self {
        self.documents.insert(url.to_owned(), (StatusCode::FOUND, to.to_owned()));
        self
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

#[async_trait]
impl GuardedFetch for PublishedDocuments {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, FetchFailure> {
        let url = request.uri().to_string();
        self.asked.lock().push(url.clone());
        let answer = Response::builder();
        let answer = match self.documents.get(&url) {
            Some((StatusCode::FOUND, to)) => {
                answer.status(302).header("location", to).body(Vec::new())
            }
            Some((status, body)) => answer.status(*status).body(body.clone().into_bytes()),
            None => answer.status(404).body(Vec::new()),
        };
        Ok(answer.unwrap())
    }
}

const SERVER: &str = "https://a.example/mcp";

fn resource(issuer: &str) -> Value {
    json!({ "resource": SERVER, "authorization_servers": [issuer], "scopes_supported": ["r", "w"] })
}

fn issuer(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "code_challenge_methods_supported": ["S256"],
    })
}

async fn offered(
    published: &PublishedDocuments,
    challenge: Option<&BearerChallenge>,
    configured: &Oauth,
) -> Result<LoginOffer, LoginError> {
    discover(SERVER, challenge, configured, published).await
}

fn pointing(to: &str) -> BearerChallenge {
    BearerChallenge { resource_metadata: Some(to.to_owned()), ..BearerChallenge::default() }
}

/// Shows: S1-92, S1-34. The document that the challenge names comes first, then the well-known places,
/// the server's path before its root.
#[tokio::test(flavor = "current_thread")]
async fn metadata_is_found_where_the_challenge_says_or_where_it_always_is() {
    let login = "https://login.example";
    let published = PublishedDocuments::default()
        .with("https://a.example/meta", resource(login))
        .with("https://login.example/.well-known/oauth-authorization-server", issuer(login));
    let challenge = pointing("https://a.example/meta");
    let offer = offered(&published, Some(&challenge), &Oauth::default()).await.unwrap();
    assert_eq!(offer.resource, SERVER);
    assert_eq!(offer.resource_scopes.as_deref(), Some("r w"));
    assert_eq!(offer.server.token.as_str(), "https://login.example/token");
    assert_eq!(published.asked().len(), 2);

    let published = PublishedDocuments::default()
        .with("https://a.example/.well-known/oauth-protected-resource", resource(login))
        .with("https://login.example/.well-known/openid-configuration", issuer(login));
    offered(&published, None, &Oauth::default()).await.unwrap();
    assert_eq!(
        published.asked(),
        [
            "https://a.example/.well-known/oauth-protected-resource/mcp",
            "https://a.example/.well-known/oauth-protected-resource",
            "https://login.example/.well-known/oauth-authorization-server",
            "https://login.example/.well-known/openid-configuration",
        ]
    );
}

/// Shows: S1-35. What publishes nothing offers no login, and nothing is made up for it.
#[tokio::test(flavor = "current_thread")]
async fn a_server_that_publishes_nothing_offers_nothing() {
    let published = PublishedDocuments::default();
    let refused = offered(&published, None, &Oauth::default()).await;
    assert_eq!(refused, Err(LoginError::NotOffered));
}

#[tokio::test(flavor = "current_thread")]
async fn a_server_of_before_is_its_own_authorization_server() {
    let own = "https://a.example";
    let place = "https://a.example/.well-known/oauth-authorization-server";
    let published = PublishedDocuments::default().with(place, issuer(own));
    let offer = offered(&published, None, &Oauth::default()).await.unwrap();
    assert_eq!((offer.resource.as_str(), offer.resource_scopes), (SERVER, None));
}

/// Shows: S1-34. What a person wrote goes before what is found, and where it is enough nothing is asked.
#[tokio::test(flavor = "current_thread")]
async fn configured_endpoints_win() {
    let url = |url: &str| Some(Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap());
    let configured = Oauth {
        authorization_url: url("https://own.example/a"),
        token_url: url("https://own.example/t"),
        resource: Some(ConfigText::Plain("urn:mine".to_owned())),
        ..Oauth::default()
    };
    let published = PublishedDocuments::default();
    let offer = offered(&published, None, &configured).await.unwrap();
    assert_eq!(offer.server.token.as_str(), "https://own.example/t");
    assert_eq!(offer.resource, "urn:mine");
    assert_eq!(published.asked(), [""; 0]);
    let login = "https://login.example";
    let published = PublishedDocuments::default()
        .with("https://a.example/.well-known/oauth-protected-resource", resource(login))
        .with("https://login.example/.well-known/oauth-authorization-server", issuer(login));
    let configured = Oauth { authorization_url: None, resource: None, ..configured };
    let offer = offered(&published, None, &configured).await.unwrap();
    assert_eq!(offer.server.token.as_str(), "https://own.example/t");
    assert_eq!(offer.server.authorization.unwrap().as_str(), "https://login.example/authorize");
}

#[tokio::test(flavor = "current_thread")]
async fn what_must_not_be_believed_is_not() {
    let login = "https://login.example";
    let place = "https://login.example/.well-known/oauth-authorization-server";
    let at_root = "https://a.example/.well-known/oauth-protected-resource";
    let other = |resource: &str| json!({ "resource": resource, "authorization_servers": [login] });
    let cases: [(&str, PublishedDocuments, Option<BearerChallenge>); 7] = [
        (
            "metadata of another resource",
            PublishedDocuments::default()
                .with(at_root, other("https://b.example/mcp"))
                .with(place, issuer(login)),
            None,
        ),
        (
            "metadata of another issuer",
            PublishedDocuments::default()
                .with(at_root, resource(login))
                .with(place, issuer("https://evil.example")),
            None,
        ),
        (
            "an issuer that is no web address",
            PublishedDocuments::default().with(at_root, resource("file:///etc/passwd")),
            None,
        ),
        (
            "an issuer without TLS",
            PublishedDocuments::default().with(at_root, resource("http://login.example")),
            None,
        ),
        (
            "a challenge that points out of TLS",
            PublishedDocuments::default(),
            Some(pointing("http://169.254.169.254/latest")),
        ),
        (
            "a challenge that points to something else",
            PublishedDocuments::default().with("https://a.example/x", json!({ "a": 1 })),
            Some(pointing("https://a.example/x")),
        ),
        (
            "nobody to log in with",
            PublishedDocuments::default()
                .with(at_root, json!({ "resource": SERVER, "authorization_servers": [] })),
            None,
        ),
    ];
    for (what, published, challenge) in cases {
        let published = Arc::new(published);
        let refused = offered(&published, challenge.as_ref(), &Oauth::default()).await;
        assert!(matches!(refused, Err(LoginError::BadMetadata(_))), "{what}: {refused:?}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn redirects_lead_on_within_their_origin_only() {
    let login = "https://login.example";
    let at_root = "https://a.example/.well-known/oauth-protected-resource";
    let place = "https://login.example/.well-known/oauth-authorization-server";
    let published = PublishedDocuments::default()
        .redirecting(at_root, "/elsewhere")
        .with("https://a.example/elsewhere", resource(login))
        .with(place, issuer(login));
    offered(&published, None, &Oauth::default()).await.unwrap();
    let published = PublishedDocuments::default()
        .redirecting(at_root, "https://evil.example/x")
        .with("https://evil.example/x", resource(login))
        .with(place, issuer(login));
    let refused = offered(&published, None, &Oauth::default()).await;
    assert_eq!(refused, Err(LoginError::NotOffered));
    assert!(!published.asked().iter().any(|url| url.contains("evil")), "{:?}", published.asked());
    let published = PublishedDocuments::default().redirecting(at_root, at_root);
    assert_eq!(offered(&published, None, &Oauth::default()).await, Err(LoginError::NotOffered));
    let in_circles = published.asked().iter().filter(|url| *url == at_root).count();
    assert_eq!(in_circles, 4, "{:?}", published.asked());
}
