//! Pages for people whom an issuer speaks for: how one of them logs in at a server behind the gateway.
//!
//! What stands on them, and who is believed to be whom, is whoever's who runs the gateway.

use std::fmt;

use async_trait::async_trait;
use http::StatusCode;
use toolgate_types::ServerId;

use crate::known_caller::KnownCaller;

/// Who shows the pages.
#[async_trait]
pub trait LoginPages: Send + Sync {
    /// Where somebody begins who wants to log in at a server, as a whole URL.
    fn begins_at(&self, server: &ServerId) -> String;

    /// Answers a browser.
    async fn visited(&self, visit: PageVisit<'_>, sight: &dyn ServerSight) -> PageAnswer;
}

/// What somebody is shown behind the gateway.
#[async_trait]
pub trait ServerSight: Send + Sync {
    /// Whether a server is there for a caller, in any of its roles.
    async fn sees(&self, known: &KnownCaller, server: &ServerId) -> bool;
}

/// A browser that came.
#[derive(Clone, Copy)]
pub struct PageVisit<'a> {
    /// What the path ends with.
    pub page: &'a str,
    pub query: &'a str,
    /// What it was given to keep, where it still has that.
    pub kept: Option<&'a str>,
}

/// What a browser gets.
pub enum PageAnswer {
    /// It goes elsewhere, and keeps something until it comes back.
    Elsewhere { to: String, keeps: String },
    /// A page in HTML.
    Page { status: StatusCode, html: String },
}

/// Neither shows what a browser keeps, nor what it was sent back with.
impl fmt::Debug for PageVisit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageVisit").field("page", &self.page).finish_non_exhaustive()
    }
}

impl fmt::Debug for PageAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere { .. } => f.write_str("Elsewhere"),
            Self::Page { status, .. } => f.debug_tuple("Page").field(status).finish(),
        }
    }
}
