//! An authorization server on a loopback port, as strict as one should be, with faults on request.
//!
//! | path | what |
//! |---|---|
//! | `/.well-known/oauth-authorization-server` | its metadata |
//! | `/register` | dynamic registration |
//! | `/authorize` | what a person opens; it says yes at once |
//! | `/device` | a code to type in elsewhere, where it is told to take such logins |
//! | `/token` | codes and refresh tokens, each of which counts once; a refresh token that comes again ends all |
//! | `/revoke` | the end of a token |

mod answer;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What it does otherwise than it should.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IdentityFaults {
    /// Its metadata does not speak of S256.
    pub without_s256: bool,
    /// Its metadata names this issuer.
    pub issuer: Option<String>,
    /// The answer to a login names this issuer.
    pub answered_issuer: Option<String>,
    /// Its metadata says that answers name the issuer, and they do not.
    pub forgets_issuer: bool,
    /// The answer to a login names this state.
    pub answered_state: Option<String>,
    /// The answer to a login is this error, with these words.
    pub login_error: Option<String>,
    pub login_error_words: Option<String>,
    /// The answer to a login goes to this place.
    pub answered_place: Option<String>,
    /// What follows the answer to a login.
    pub answered_more: Option<String>,
    /// Nobody can be registered.
    pub without_registration: bool,
    /// Endpoints that its metadata names, by their names there.
    pub endpoints: BTreeMap<String, String>,
    /// So many bytes stand in its metadata before what it should say.
    pub metadata_padding: usize,
    /// Its metadata is elsewhere.
    pub metadata_redirect: Option<String>,
    /// What every token request is answered with.
    pub token_answer: Option<(u16, String)>,
    /// It takes logins with a code; what is said to those who ask before somebody typed it in.
    pub device: Option<Vec<String>>,
    /// Where such a code is typed in, where that is not a usual place.
    pub verification: Option<String>,
    /// How long tokens hold, in seconds; an hour where nothing is said.
    pub lasts: Option<u64>,
}

/// A running authorization server. It ends when it is dropped.
#[derive(Debug)]
pub struct IdentityProvider {
    address: SocketAddr,
    state: Arc<IdentityState>,
    accepting: JoinHandle<()>,
}

/// A request that was made of it.
#[derive(Debug, Clone)]
pub struct IdentityVisit {
    pub path: String,
    /// The form, or the query.
    pub fields: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct IdentityState {
    origin: String,
    known: Mutex<IdentityKnowledge>,
}

#[derive(Debug, Default)]
struct IdentityKnowledge {
    faults: IdentityFaults,
    visits: Vec<IdentityVisit>,
    codes: BTreeMap<String, GivenCode>,
    /// The tokens that count, each with its scope.
    access: BTreeMap<String, String>,
    refresh: BTreeMap<String, String>,
    /// Refresh tokens that were redeemed; one that comes again ends all.
    redeemed: Vec<String>,
    count: u32,
}

/// What a code was given for.
#[derive(Debug)]
struct GivenCode {
    challenge: String,
    redirect: String,
    resource: String,
    scope: String,
}

impl IdentityProvider {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let origin = format!("http://{address}");
        let state = Arc::new(IdentityState { origin, known: Mutex::default() });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, accepting }
    }

    pub fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn with_faults(&self, faults: IdentityFaults) {
        self.known().faults = faults;
    }

    pub fn visits(&self, path: &str) -> Vec<IdentityVisit> {
        self.known().visits.iter().filter(|visit| visit.path == path).cloned().collect()
    }

    /// This access token is worth something from now on.
    pub fn grant(&self, token: &str, scope: &str) {
        self.known().access.insert(token.to_owned(), scope.to_owned());
    }

    /// A login as if somebody had made it: an access token, and a refresh token.
    pub fn issue(&self) -> (String, String) {
        self.known().issue(String::new())
    }

    /// Whether an access token counts.
    pub fn knows(&self, access_token: &str) -> bool {
        self.known().access.contains_key(access_token)
    }

    /// Every access token is worth nothing from now on; refresh tokens stay.
    pub fn expire_tokens(&self) {
        self.known().access.clear();
    }

    /// Every refresh token is worth nothing from now on.
    pub fn revoke_logins(&self) {
        self.known().refresh.clear();
    }

    /// Who lets in only those that bring a token of this one.
    pub(crate) fn gate(&self) -> TokenGate {
        TokenGate { state: Arc::clone(&self.state) }
    }

    fn known(&self) -> MutexGuard<'_, IdentityKnowledge> {
        self.state.known.lock().unwrap()
    }
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What a server knows of the authorization server that it believes.
#[derive(Debug, Clone)]
pub(crate) struct TokenGate {
    state: Arc<IdentityState>,
}

impl TokenGate {
    /// The scope of a token that counts.
    pub(crate) fn scope_of(&self, authorization: &str) -> Option<String> {
        let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
        self.state.known.lock().unwrap().access.get(token).cloned()
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.state.origin
    }
}

async fn accept(listener: TcpListener, state: Arc<IdentityState>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(Arc::clone(&state), request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(
    state: Arc<IdentityState>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let form = if body.is_empty() { query } else { &body };
    let fields: BTreeMap<String, String> = url::form_urlencoded::parse(form).into_owned().collect();
    let path = parts.uri.path().to_owned();
    let mut known = state.known.lock().unwrap();
    known.visits.push(IdentityVisit { path: path.clone(), fields: fields.clone() });
    Ok(known.answer(&state.origin, &path, &fields, &body))
}
