//! What a caller is told that could go on if only somebody logged in.

use std::fmt;
use std::sync::Arc;

use toolgate_types::{CallError, Principal, ServerId};

use crate::known_caller::KnownCaller;
use crate::login_pages::LoginPages;

/// How somebody logs in at a server.
#[derive(Clone)]
pub(crate) enum LoginAdvice {
    /// It is the person's own gate: with a command.
    Command,
    /// In a browser that shows who they are.
    Pages(Arc<dyn LoginPages>),
    /// Nobody can log in for this caller.
    Nothing,
}

impl LoginAdvice {
    pub(crate) fn of(known: &KnownCaller, pages: Option<&Arc<dyn LoginPages>>) -> Self {
        match pages {
            _ if known.owner == Principal::local_user() => Self::Command,
            Some(pages) if known.principal.is_subject() => Self::Pages(Arc::clone(pages)),
            _ => Self::Nothing,
        }
    }

    /// What somebody does who wants to log in at a server.
    pub(crate) fn at(&self, server: &ServerId) -> Option<String> {
        match self {
            Self::Command => Some(format!("a person logs in with: toolgate login {server}")),
            Self::Pages(pages) => Some(format!("a person logs in at {}", pages.begins_at(server))),
            Self::Nothing => None,
        }
    }

    /// The error, with what to do about it.
    pub(crate) fn beside(&self, error: CallError) -> CallError {
        match error.wants_login.as_ref().and_then(|server| self.at(server)) {
            Some(how) => CallError { message: format!("{}; {how}", error.message), ..error },
            None => error,
        }
    }
}

impl fmt::Debug for LoginAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Command => "Command",
            Self::Pages(_) => "Pages",
            Self::Nothing => "Nothing",
        })
    }
}
