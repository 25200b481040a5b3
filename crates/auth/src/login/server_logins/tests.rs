//! Tokens are renewed in time, by one at a time, and end only by a definite no.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use http::{Request, Response};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolgate_store::{LoginBinding, LoginFiles, LoginHolder, LoginTokens};
use toolgate_types::ServerId;

use super::*;
use crate::login::FetchFailure;

/// A token endpoint: each refresh token counts once, and the next is its number plus one.
struct RotatingIssuer {
    redeemed: AtomicUsize,
    /// How long its tokens hold, in seconds.
    lasts: u64,
    answer: Option<(u16, Value)>,
}

#[async_trait]
impl GuardedFetch for RotatingIssuer {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, FetchFailure> {
        assert_eq!(request.uri(), "https://login.example/token");
        let form: std::collections::BTreeMap<String, String> =
            url::form_urlencoded::parse(request.body()).into_owned().collect();
        assert_eq!(form["grant_type"], "refresh_token");
        // The resource as it was discovered, and not as a URL type would write it.
        assert_eq!(form["resource"], "https://a.example");
        assert_eq!(form["client_id"], "client");
        tokio::task::yield_now().await;
        if let Some((status, answer)) = &self.answer {
            let body = answer.to_string().into_bytes();
            return Ok(Response::builder().status(*status).body(body).unwrap());
        }
        let turn = self.redeemed.fetch_add(1, Ordering::SeqCst);
        let is_next = form["refresh_token"] == format!("r{turn}");
        let (status, body) = match is_next {
            true => {
                let (access, refresh) = (format!("a{}", turn + 1), format!("r{}", turn + 1));
                let answer = json!({
                    "access_token": access, "refresh_token": refresh, "expires_in": self.lasts,
                    "token_type": "bearer",
                });
                (200, answer)
            }
            false => (400, json!({ "error": "invalid_grant" })),
        };
        Ok(Response::builder().status(status).body(body.to_string().into_bytes()).unwrap())
    }
}

fn key() -> LoginKey {
    LoginKey {
        server: ServerId::parse("one").unwrap(),
        url: "https://a.example/mcp".to_owned(),
        holder: LoginHolder::Owner,
        account: None,
    }
}

fn login(expires_at: u64) -> KeptLogin {
    KeptLogin {
        client_id: "client".to_owned(),
        client_secret: None,
        tokens: Some(LoginTokens {
            access_token: Secret::new("a0".to_owned()),
            refresh_token: Some(Secret::new("r0".to_owned())),
            expires_at: Some(expires_at),
            scope: Some("s".to_owned()),
        }),
        wanted_scope: None,
        binding: LoginBinding {
            server_url: "https://a.example/mcp".to_owned(),
            issuer: Some("https://login.example".to_owned()),
            resource: "https://a.example".to_owned(),
            token_endpoint: "https://login.example/token".to_owned(),
            revocation_endpoint: None,
            client_auth: "none".to_owned(),
        },
        rest: Map::new(),
    }
}

fn logins(expires_at: u64) -> (TempDir, ServerLogins) {
    let folder = tempfile::tempdir().unwrap();
    let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    let logins = ServerLogins::new(Arc::new(files));
    logins.keep(&key(), &login(expires_at)).unwrap();
    (folder, logins)
}

fn issuer(answer: Option<(u16, Value)>) -> RotatingIssuer {
    RotatingIssuer { redeemed: AtomicUsize::new(0), lasts: 600, answer }
}

async fn token(
    logins: &ServerLogins,
    issuer: &RotatingIssuer,
    now: u64,
) -> Result<String, LoginError> {
    let token = logins.token(&key(), &Oauth::default(), issuer, now).await?;
    Ok(token.map(|token| token.expose().to_owned()).unwrap_or_default())
}

/// Shows: S1-94. Renewed at sixty seconds before the end, and not before.
#[tokio::test(flavor = "current_thread")]
async fn a_token_is_renewed_a_minute_before_it_ends() {
    let (_folder, logins) = logins(100_000);
    let issuer = issuer(None);
    assert_eq!(token(&logins, &issuer, 39_999).await.unwrap(), "a0");
    assert_eq!(issuer.redeemed.load(Ordering::SeqCst), 0);
    assert_eq!(token(&logins, &issuer, 40_000).await.unwrap(), "a1");
    assert_eq!(token(&logins, &issuer, 40_001).await.unwrap(), "a1");
    assert_eq!(issuer.redeemed.load(Ordering::SeqCst), 1);
    let kept = logins.login(&key()).unwrap().unwrap();
    let tokens = kept.tokens.as_ref().unwrap();
    assert_eq!(tokens.expires_at, Some(640_000));
    assert_eq!(tokens.scope.as_deref(), Some("s"));
}

/// A token that never holds a minute is renewed at half of its time, and not for every request.
#[tokio::test(flavor = "current_thread")]
async fn a_token_that_holds_for_seconds_is_renewed_at_half_of_them() {
    let (_folder, logins) = logins(30_000);
    let issuer = RotatingIssuer { lasts: 30, ..issuer(None) };
    assert_eq!(token(&logins, &issuer, 1_000).await.unwrap(), "a1");
    assert_eq!(token(&logins, &issuer, 1_001).await.unwrap(), "a1");
    assert_eq!(token(&logins, &issuer, 15_999).await.unwrap(), "a1");
    assert_eq!(token(&logins, &issuer, 16_000).await.unwrap(), "a2");
    assert_eq!(issuer.redeemed.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "current_thread")]
async fn many_at_once_renew_once() {
    let (folder, first) = logins(100_000);
    let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    // As another process has them.
    let both = [Arc::new(first), Arc::new(ServerLogins::new(Arc::new(files)))];
    let issuer = Arc::new(issuer(None));
    for round in 1..=20_u64 {
        let mut asked = tokio::task::JoinSet::new();
        for logins in both.iter().cycle().take(8) {
            let (logins, issuer) = (Arc::clone(logins), Arc::clone(&issuer));
            let now = 100_000 + round * 600_000;
            asked.spawn(async move { token(&logins, &issuer, now).await });
        }
        for token in asked.join_all().await {
            assert_eq!(token.unwrap(), format!("a{round}"));
        }
        assert_eq!(issuer.redeemed.load(Ordering::SeqCst) as u64, round);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_refused_refresh_token_ends_the_login_and_a_hiccup_does_not() {
    let (_folder, logins) = logins(100_000);
    for hiccup in [
        (500, json!({ "error": "server_error" })),
        (503, json!("<html>")),
        (400, json!({ "error": "temporarily_unavailable" })),
        (200, json!({ "no": "token" })),
    ] {
        let issuer = issuer(Some(hiccup));
        // While it holds it is used; after that the failure is told, and the login stays.
        assert_eq!(token(&logins, &issuer, 99_999).await.unwrap(), "a0");
        let error = token(&logins, &issuer, 100_000).await.unwrap_err();
        assert!(error.may_pass(), "{error:?}");
        assert!(logins.login(&key()).unwrap().unwrap().tokens.is_some());
    }
    let issuer = issuer(Some((400, json!({ "error": "invalid_grant" }))));
    let error = token(&logins, &issuer, 100_000).await.unwrap_err();
    assert_eq!(error, LoginError::Over("its refresh token was refused"));
    let kept = logins.login(&key()).unwrap().unwrap();
    assert!(kept.tokens.is_none());
    // What the client was registered as stays.
    assert_eq!(kept.client_id, "client");
    assert_eq!(token(&logins, &issuer, 100_001).await.unwrap(), "");
}

#[tokio::test(flavor = "current_thread")]
async fn a_login_goes_to_no_other_url() {
    let (_folder, logins) = logins(u64::MAX);
    let elsewhere = LoginKey { url: "https://evil.example/mcp".to_owned(), ..key() };
    let issuer = issuer(None);
    assert!(logins.token(&elsewhere, &Oauth::default(), &issuer, 0).await.unwrap().is_none());
    let stale = Secret::new("a0".to_owned());
    assert!(
        logins.another(&elsewhere, &stale, &Oauth::default(), &issuer, 0).await.unwrap().is_none()
    );
    assert_eq!(issuer.redeemed.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "current_thread")]
async fn a_refused_token_is_replaced_by_what_another_process_has_or_by_a_renewal() {
    let (_folder, logins) = logins(u64::MAX);
    let issuer = issuer(None);
    let other = Secret::new("older".to_owned());
    let token =
        logins.another(&key(), &other, &Oauth::default(), &issuer, 0).await.unwrap().unwrap();
    assert_eq!((token.expose(), issuer.redeemed.load(Ordering::SeqCst)), ("a0", 0));
    let token =
        logins.another(&key(), &token, &Oauth::default(), &issuer, 0).await.unwrap().unwrap();
    assert_eq!((token.expose(), issuer.redeemed.load(Ordering::SeqCst)), ("a1", 1));
}

/// Where there was no login a moment ago nobody looks again by itself, but whoever is refused does.
#[tokio::test(flavor = "current_thread")]
async fn a_login_of_another_process_is_found_at_once_by_who_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = || LoginFiles::of_state_folder(&folder.path().join("toolgate"));
    let (logins, issuer) = (ServerLogins::new(Arc::new(files())), issuer(None));
    assert_eq!(token(&logins, &issuer, 0).await.unwrap(), "");
    files().keep(&key(), &login(u64::MAX)).unwrap();
    assert!(logins.has_token(&key()).unwrap());
    assert_eq!(token(&logins, &issuer, 0).await.unwrap(), "a0");
    assert!(files().forget(&key()).unwrap());
    assert_eq!(
        token(&logins, &issuer, 0).await.unwrap(),
        "",
        "what is there is looked at each time"
    );
}
