//! An issuer of access tokens on a loopback port, for gateways that believe one: keys that it can change,
//! tokens of every kind, and faults on request.
//!
//! | path | what |
//! |---|---|
//! | `/.well-known/oauth-authorization-server` | its metadata |
//! | `/keys` | its keys |
//! | `/introspect` | what it says of a token, to the client `gate` with the secret `gate-secret` |
//! | `/authorize` | what a person opens; whoever sits at the browser is said to be logged in |
//! | `/token` | codes, each of which counts once, and token exchange (RFC 8693) |

mod signing_key;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use signing_key::SigningKey;

/// A running issuer. It ends when it is dropped.
#[derive(Debug)]
pub struct IssuerSite {
    issuer: String,
    state: Arc<Mutex<IssuerState>>,
    accepting: JoinHandle<()>,
}

/// A request that was made of it.
#[derive(Debug, Clone)]
pub struct IssuerVisit {
    pub path: String,
    pub authorization: Option<String>,
    pub fields: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct IssuerState {
    issuer: String,
    keys: Vec<Value>,
    /// What it says of tokens that are no JWT.
    opaque: BTreeMap<String, Value>,
    /// These paths are answered so.
    faults: BTreeMap<String, (u16, String)>,
    visits: Vec<IssuerVisit>,
    exchanged: usize,
    /// What whoever sits at the browser gets.
    person: Option<String>,
    /// Codes that were given: for which challenge and redirect, and what they are good for.
    codes: BTreeMap<String, (String, String, String)>,
}

impl IssuerSite {
    /// With one key.
    pub async fn start(key: &SigningKey) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let keys = vec![key.jwk()];
        let state = IssuerState { issuer: issuer.clone(), keys, ..IssuerState::default() };
        let state = Arc::new(Mutex::new(state));
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { issuer, state, accepting }
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// From now on these are its keys.
    pub fn publish(&self, keys: &[&SigningKey]) {
        self.state().keys = keys.iter().map(|key| key.jwk()).collect();
    }

    /// From now on a path is answered so; a status of 0 takes that back.
    pub fn answer(&self, path: &str, status: u16, body: &str) {
        let mut state = self.state();
        match status {
            0 => state.faults.remove(path),
            _ => state.faults.insert(path.to_owned(), (status, body.to_owned())),
        };
    }

    /// What it says when it is asked about this token.
    pub fn say_of(&self, token: &str, claims: Value) {
        self.state().opaque.insert(token.to_owned(), claims);
    }

    /// From now on whoever opens a login gets this token.
    pub fn log_in_with(&self, token: &str) {
        self.state().person = Some(token.to_owned());
    }

    pub fn visits(&self, path: &str) -> Vec<IssuerVisit> {
        self.state().visits.iter().filter(|visit| visit.path == path).cloned().collect()
    }

    /// Claims of a token that counts for an hour.
    pub fn claims(&self, audience: &str, subject: &str) -> Value {
        let now = now();
        json!({
            "iss": self.issuer, "aud": audience, "sub": subject, "iat": now, "exp": now + 3600,
            "client_id": "some-client", "jti": format!("{subject}-{now}"),
        })
    }

    fn state(&self) -> MutexGuard<'_, IssuerState> {
        self.state.lock().unwrap()
    }
}

/// In seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl Drop for IssuerSite {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<Mutex<IssuerState>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(Arc::clone(&state), request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(
    state: Arc<Mutex<IssuerState>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let authorization = parts.headers.get("authorization");
    let visit = IssuerVisit {
        path: parts.uri.path().to_owned(),
        authorization: authorization.and_then(|value| value.to_str().ok()).map(str::to_owned),
        fields: {
            let query = parts.uri.query().unwrap_or_default();
            let query = url::form_urlencoded::parse(query.as_bytes()).into_owned();
            query.chain(url::form_urlencoded::parse(&body).into_owned()).collect()
        },
    };
    let mut state = state.lock().unwrap();
    state.visits.push(visit.clone());
    let (status, body) = match state.faults.get(&visit.path) {
        Some((status, body)) => (*status, body.clone()),
        None => {
            let (status, document) = state.answer(&visit);
            (status, document.to_string())
        }
    };
    let mut answer = Response::builder().status(status).header("content-type", "application/json");
    if visit.path == "/authorize" {
        answer = answer.header("location", state.sent_back(&visit));
    }
    Ok(answer.body(Full::from(body)).unwrap())
}

impl IssuerState {
    fn answer(&mut self, visit: &IssuerVisit) -> (u16, Value) {
        let issuer = &self.issuer;
        let field = |name: &str| visit.fields.get(name).cloned().unwrap_or_default();
        match visit.path.as_str() {
            "/.well-known/oauth-authorization-server" => (
                200,
                json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "jwks_uri": format!("{issuer}/keys"),
                    "introspection_endpoint": format!("{issuer}/introspect"),
                    "code_challenge_methods_supported": ["S256"],
                }),
            ),
            "/keys" => (200, json!({ "keys": self.keys })),
            "/introspect" if !is_gate(visit) => (401, json!({ "error": "invalid_client" })),
            "/introspect" => match self.opaque.get(&field("token")) {
                Some(claims) => {
                    let mut told = claims.clone();
                    told["active"] = told.get("active").cloned().unwrap_or(true.into());
                    (200, told)
                }
                None => (200, json!({ "active": false })),
            },
            "/authorize" => (303, json!({})),
            "/token" if field("grant_type") == "authorization_code" => {
                let Some((challenge, redirect, token)) = self.codes.remove(&field("code")) else {
                    return (400, json!({ "error": "invalid_grant" }));
                };
                let verified = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
                if !is_gate(visit) || challenge != verified || redirect != field("redirect_uri") {
                    return (400, json!({ "error": "invalid_grant" }));
                }
                (200, json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 }))
            }
            "/token" => {
                let grant = "urn:ietf:params:oauth:grant-type:token-exchange";
                if field("grant_type") != grant || field("subject_token").is_empty() {
                    return (400, json!({ "error": "invalid_request" }));
                }
                self.exchanged += 1;
                let subject = signing_key::subject_of(&field("subject_token"));
                let token = format!("exchanged-{}-for-{subject}", self.exchanged);
                let kind = "urn:ietf:params:oauth:token-type:access_token";
                let told = json!({
                    "access_token": token, "issued_token_type": kind, "token_type": "Bearer",
                    "expires_in": 3600,
                });
                (200, told)
            }
            _ => (404, json!({})),
        }
    }
}

impl IssuerState {
    /// Where a browser goes after a login, with a code.
    fn sent_back(&mut self, visit: &IssuerVisit) -> String {
        let field = |name: &str| visit.fields.get(name).cloned().unwrap_or_default();
        let code = format!("issued-{}", self.visits.len());
        let token = self.person.clone().unwrap_or_default();
        let redirect = field("redirect_uri");
        self.codes.insert(code.clone(), (field("code_challenge"), redirect.clone(), token));
        format!("{redirect}?code={code}&state={}", field("state"))
    }
}

fn is_gate(visit: &IssuerVisit) -> bool {
    let expected = format!("Basic {}", STANDARD.encode("gate:gate-secret"));
    visit.authorization.as_ref() == Some(&expected)
}
