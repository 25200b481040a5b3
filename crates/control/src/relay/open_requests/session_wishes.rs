//! What a client asked of its session for as long as that lasts: changes it wants to hear of, and how
//! much servers are to say. The next daemon is asked for the same.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde::de::IgnoredAny;
use toolgate_wire::MessageIdBuf;

use super::with_its_end;
use crate::relay::glance::RelayedMessageKind;

/// More is not kept of one client.
const MOST: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct SessionWishes {
    level: Option<WishLine>,
    subscribed: BTreeMap<String, WishLine>,
    /// What each request that is not answered yet would undo if it were refused.
    open: HashMap<MessageIdBuf, WishKey>,
}

/// A request as the client sent it, its end included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WishLine {
    pub(crate) id: MessageIdBuf,
    pub(crate) line: Vec<u8>,
}

#[derive(Debug)]
enum WishKey {
    Level,
    Uri(String),
}

#[derive(Deserialize)]
struct SubscribeRequest<'a> {
    #[serde(borrow)]
    params: SubscribeParams<'a>,
}

#[derive(Deserialize)]
struct SubscribeParams<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

#[derive(Deserialize)]
struct WishAnswer {
    error: Option<IgnoredAny>,
}

impl SessionWishes {
    pub(super) fn sends(&mut self, id: &MessageIdBuf, about: &RelayedMessageKind, line: &[u8]) {
        let wish = || WishLine { id: id.clone(), line: with_its_end(line) };
        match about {
            RelayedMessageKind::SetLevel => {
                self.level = Some(wish());
                self.open.insert(id.clone(), WishKey::Level);
            }
            RelayedMessageKind::Subscribe => {
                let Some(uri) = uri(line).filter(|_| self.subscribed.len() < MOST) else { return };
                self.open.insert(id.clone(), WishKey::Uri(uri.clone()));
                self.subscribed.insert(uri, wish());
            }
            RelayedMessageKind::Unsubscribe => {
                if let Some(uri) = uri(line) {
                    self.subscribed.remove(&uri);
                }
            }
            _ => {}
        }
    }

    pub(super) fn reads_answer_to(&self, id: &MessageIdBuf) -> bool {
        self.open.contains_key(id)
    }

    /// What was refused is not wished for again.
    pub(super) fn receives(&mut self, id: &MessageIdBuf, line: &[u8]) {
        let Some(wish) = self.open.remove(id) else { return };
        let answer: Option<WishAnswer> = serde_json::from_slice(line).ok();
        if answer.is_none_or(|answer| answer.error.is_none()) {
            return;
        }
        match wish {
            WishKey::Level => self.level = None,
            WishKey::Uri(uri) => drop(self.subscribed.remove(&uri)),
        }
    }

    /// To be said to another daemon.
    pub(super) fn all(&self) -> Vec<WishLine> {
        self.level.iter().chain(self.subscribed.values()).cloned().collect()
    }
}

fn uri(line: &[u8]) -> Option<String> {
    let request: SubscribeRequest<'_> = serde_json::from_slice(line).ok()?;
    Some(request.params.uri.into_owned())
}
