//! Logins of people whom an issuer speaks for, at servers behind this gate, over pages in a browser.
//!
//! A link can be opened by somebody else than the one whom the agent works for, and then one person's
//! account would serve another's calls. So whoever opens it logs in at the gate's own issuer first, and
//! what comes of that has to be a token for this gate: only for that subject (the same `iss` and `sub` as
//! its calls have) a login at the server is begun, and only under its name it is kept. What a browser was
//! given to keep ties its answers to its own questions.

mod login_page;
mod server_place;
mod waiting_logins;

use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use toolgate_auth::login::{
    AuthorizationAttempt, AuthorizationCallback, BrowserMark, LoginError, LoginWish, ServerLogins,
    offer_of_issuer,
};
use toolgate_auth::subjects::OauthSubjects;
use toolgate_control::CommandFailure;
use toolgate_gateway::{LoginPages, PageAnswer, PageVisit, ServerSight};
use toolgate_types::config::{GatewaySection, Oauth};
use toolgate_types::{ConfigText, ServerId, since_1970};
use toolgate_upstream::LoginFetch;
use tracing::{info, warn};

use crate::contexts::WorkspaceContexts;
use crate::endpoint::known_subject;
use login_page::{asks_to_go_on, told};
use server_place::ServerPlace;
use waiting_logins::{AnsweredLogin, LoginStage, WaitingLogins};

/// What the paths of pages begin with, behind the gate's own URL.
const BEGINS: &str = "login/to/";
const COMES_BACK: &str = "login/callback";

/// How many browsers are worked for at the same time: nobody knows yet who they are.
const AT_ONCE: usize = 8;

/// The pages of one address.
pub(crate) struct CallerLogins {
    subjects: Arc<OauthSubjects>,
    issuer: GateAtIssuer,
    contexts: Arc<WorkspaceContexts>,
    /// Of the context whose servers are served at the plain address.
    key: Option<String>,
    logins: Arc<ServerLogins>,
    waiting: Mutex<WaitingLogins>,
    turns: Semaphore,
}

/// The gate as a client of its issuer.
struct GateAtIssuer {
    issuer: String,
    /// What tokens have to be for, without a slash at its end.
    public_url: String,
    /// Where browsers come back to.
    callback: String,
    client: Oauth,
    scope: Option<String>,
    fetch: LoginFetch,
}

impl CallerLogins {
    /// None where the gate is no client of its issuer, or keeps no logins.
    pub(crate) fn of(
        gateway: &GatewaySection,
        subjects: Option<&Arc<OauthSubjects>>,
        contexts: &Arc<WorkspaceContexts>,
        key: Option<String>,
    ) -> Result<Option<Self>, CommandFailure> {
        let (Some(issuer), Some(public_url)) = (&gateway.oauth, &gateway.public_url) else {
            return Ok(None);
        };
        let logins = contexts.assembly.logins().cloned();
        let (Some(subjects), Some(logins), Some(id)) = (subjects, logins, &issuer.client_id) else {
            return Ok(None);
        };
        let written = |text: &ConfigText| text.expose().trim().to_owned();
        let public_url = written(public_url.original()).trim_end_matches('/').to_owned();
        let fetch = LoginFetch::of_issuer(issuer, contexts.variables().clone());
        let issuer = GateAtIssuer {
            issuer: written(issuer.issuer.original()),
            callback: format!("{public_url}/{COMES_BACK}"),
            public_url,
            client: Oauth {
                client_id: Some(id.clone()),
                client_secret: issuer.client_secret.clone(),
                ..Oauth::default()
            },
            scope: Some(issuer.required_scopes.join(" ")).filter(|scope| !scope.is_empty()),
            fetch: fetch.map_err(CommandFailure::new)?,
        };
        Ok(Some(Self {
            subjects: Arc::clone(subjects),
            issuer,
            contexts: Arc::clone(contexts),
            key,
            logins,
            waiting: Mutex::default(),
            turns: Semaphore::new(AT_ONCE),
        }))
    }

    /// First of all: who is it?
    async fn begin(
        &self,
        server: ServerId,
        visit: PageVisit<'_>,
    ) -> Result<PageAnswer, LoginError> {
        let GateAtIssuer { issuer, public_url, callback, client, scope, fetch } = &self.issuer;
        let offer = offer_of_issuer(issuer, public_url, fetch).await?;
        let wish = LoginWish {
            server_url: public_url,
            configured: client,
            challenge: None,
            scope: scope.as_deref(),
            known: None,
            redirect: callback,
        };
        let attempt = AuthorizationAttempt::begin(offer, wish, fetch).await?;
        let to = attempt.link().to_string();
        let stage = LoginStage::AtIssuer { server };
        let mut waiting = self.waiting.lock();
        let mark = visit.kept.and_then(|kept| waiting.mark(kept));
        let mark = waiting.put(mark, Box::new(attempt), stage, now())?;
        Ok(PageAnswer::Elsewhere { to, keeps: mark.expose().to_owned() })
    }

    async fn came_back(&self, visit: PageVisit<'_>, sight: &dyn ServerSight) -> PageAnswer {
        let url = format!("{}?{}", self.issuer.callback, visit.query);
        let answered = AuthorizationCallback::parse(&url).ok().zip(visit.kept);
        let answered = answered.and_then(|(answer, kept)| {
            let login = self.waiting.lock().take(kept, &answer, now())?;
            Some((answer, login))
        });
        let Some((answer, login)) = answered else {
            return told(400, "This does not belong to a login that was begun in this browser.");
        };
        let AnsweredLogin { mark, attempt, stage } = login;
        match stage {
            LoginStage::AtIssuer { server } => {
                self.is_known(*attempt, &answer, server, mark, sight).await
            }
            LoginStage::AtServer { place } => self.logged_in(*attempt, &answer, &place).await,
        }
    }

    /// The issuer said who it is: the login at the server begins, once the person says so.
    async fn is_known(
        &self,
        attempt: AuthorizationAttempt,
        answer: &AuthorizationCallback,
        server: ServerId,
        mark: BrowserMark,
        sight: &dyn ServerSight,
    ) -> PageAnswer {
        let refused = |why: &dyn std::fmt::Display| {
            warn!(target: "toolgate", %why, "a browser could not show who it is");
            told(403, "The gate could not see who you are. Whoever runs it finds why in its log.")
        };
        let tokens = match attempt.finish(answer, &self.issuer.fetch, now()).await {
            Ok(login) => login.tokens,
            Err(refusal) => return refused(&refusal.why),
        };
        let Some(tokens) = tokens else { return refused(&"there was no token") };
        let subject = match self.subjects.verify(tokens.access_token.expose(), now()).await {
            Ok(subject) => subject,
            Err(refusal) => return refused(&refusal),
        };
        let known = known_subject(&subject);
        // Whoever may not see a server is not told that it is there.
        let place = match sight.sees(&known, &server).await {
            true => {
                ServerPlace::find(&self.contexts, self.key.as_deref(), &known.principal, &server)
            }
            false => None,
        };
        let Some(place) = place else {
            return told(404, "There is no such server for you that people log in to.");
        };
        match place.begin(&self.logins, &self.issuer.callback).await {
            Ok(Some(attempt)) => {
                let page = asks_to_go_on(&place, &attempt);
                let stage = LoginStage::AtServer { place: Box::new(place) };
                let put = self.waiting.lock().put(Some(mark), Box::new(attempt), stage, now());
                put.map_or_else(|why| failed(&server, &why), |_| page)
            }
            Ok(None) => told(200, "This server wants no login: its calls work without one."),
            Err(why) => failed(&server, &why),
        }
    }

    /// The server's own issuer gave tokens: they are the subject's, and nobody else's.
    async fn logged_in(
        &self,
        attempt: AuthorizationAttempt,
        answer: &AuthorizationCallback,
        place: &ServerPlace,
    ) -> PageAnswer {
        let finished = attempt.finish(answer, &place.fetch, now()).await;
        let kept = finished.map_err(|refused| refused.why);
        let (server, principal) = (&place.key.server, &place.principal);
        match kept.and_then(|login| self.logins.keep(&place.key, &login)) {
            Ok(()) => {
                info!(target: "toolgate", %server, %principal, "logged in over the gate's page");
                told(200, "You are logged in. Close this page: the next call of your agent works.")
            }
            Err(why) => failed(server, &why),
        }
    }
}

#[async_trait]
impl LoginPages for CallerLogins {
    fn begins_at(&self, server: &ServerId) -> String {
        format!("{}/{BEGINS}{server}", self.issuer.public_url)
    }

    async fn visited(&self, visit: PageVisit<'_>, sight: &dyn ServerSight) -> PageAnswer {
        let Ok(_turn) = self.turns.try_acquire() else {
            return told(503, "The gate has too much to do. Try again in a moment.");
        };
        let page = format!("login/{}", visit.page);
        if page == COMES_BACK {
            return self.came_back(visit, sight).await;
        }
        let server = page.strip_prefix(BEGINS).and_then(|id| ServerId::parse(id).ok());
        let Some(server) = server else { return told(404, "There is nothing here.") };
        match self.begin(server, visit).await {
            Ok(answer) => answer,
            Err(why) => {
                warn!(target: "toolgate", %why, "nobody can show who they are to the gate's pages");
                told(502, "The gate cannot ask its issuer who you are. Its log says why.")
            }
        }
    }
}

/// Whose fault it is is told to a person who is known.
fn failed(server: &ServerId, why: &LoginError) -> PageAnswer {
    warn!(target: "toolgate", %server, %why, "a login over the gate's page did not work");
    told(502, &format!("The login at {server} did not work: {why}."))
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}
