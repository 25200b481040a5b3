//! Logins that browsers are away for, each tied to what its browser was given to keep.
//!
//! Bookkeeping only: time is an argument. Whom nobody knows yet can only crowd out others like that.

use toolgate_auth::login::{AuthorizationAttempt, AuthorizationCallback, BrowserMark, LoginError};
use toolgate_types::ServerId;

use super::server_place::ServerPlace;

/// How many of each stage wait.
const MOST: usize = 256;

/// How long a person may take for each, in milliseconds.
const PATIENCE_MS: u64 = 10 * 60_000;

/// Where a browser is away to.
pub(super) enum LoginStage {
    /// To the gate's own issuer, which says who it is.
    AtIssuer { server: ServerId },
    /// To a server's issuer, for somebody who is known.
    AtServer { place: Box<ServerPlace> },
}

struct WaitingLogin {
    mark: BrowserMark,
    attempt: Box<AuthorizationAttempt>,
    stage: LoginStage,
    since: u64,
}

/// One whose answer came.
pub(super) struct AnsweredLogin {
    pub(super) mark: BrowserMark,
    pub(super) attempt: Box<AuthorizationAttempt>,
    pub(super) stage: LoginStage,
}

/// The oldest first.
#[derive(Default)]
pub(super) struct WaitingLogins(Vec<WaitingLogin>);

impl WaitingLogins {
    /// Remembers an attempt; what its browser is to keep, which is what it keeps already: two logins of one
    /// browser do not disturb each other.
    pub(super) fn put(
        &mut self,
        mark: Option<BrowserMark>,
        attempt: Box<AuthorizationAttempt>,
        stage: LoginStage,
        now: u64,
    ) -> Result<BrowserMark, LoginError> {
        self.forget_late(now);
        let mark = mark.map_or_else(BrowserMark::new, Ok)?;
        let is_known = |stage: &LoginStage| matches!(stage, LoginStage::AtServer { .. });
        let alike = is_known(&stage);
        let mut like_it = self.0.iter().filter(|one| is_known(&one.stage) == alike);
        if like_it.by_ref().count() >= MOST
            && let Some(oldest) = self.0.iter().position(|one| is_known(&one.stage) == alike)
        {
            self.0.remove(oldest);
        }
        self.0.push(WaitingLogin { mark: mark.clone(), attempt, stage, since: now });
        Ok(mark)
    }

    /// The attempt that this answers, which was begun in the browser that brings it. It counts once.
    pub(super) fn take(
        &mut self,
        kept: &str,
        answer: &AuthorizationCallback,
        now: u64,
    ) -> Option<AnsweredLogin> {
        self.forget_late(now);
        let is_it = |one: &WaitingLogin| one.mark.is(kept) && one.attempt.is_meant_by(answer);
        let at = self.0.iter().position(is_it)?;
        let WaitingLogin { mark, attempt, stage, .. } = self.0.remove(at);
        Some(AnsweredLogin { mark, attempt, stage })
    }

    /// What a browser keeps, where it is of ours and not what somebody else made it keep.
    pub(super) fn mark(&self, kept: &str) -> Option<BrowserMark> {
        self.0.iter().find(|one| one.mark.is(kept)).map(|one| one.mark.clone())
    }

    fn forget_late(&mut self, now: u64) {
        self.0.retain(|one| now.checked_sub(one.since).is_some_and(|age| age < PATIENCE_MS));
    }
}
