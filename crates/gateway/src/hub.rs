//! News of a host's servers, for whoever is connected and wants to hear them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::value::RawValue;
use toolgate_types::{HostEvent, HostListener, ListKind, LogLevel, ServerId};
use toolgate_wire::RawObject;

use crate::metrics::Metrics;

/// Something that happened at a server and is not the answer to anybody's request.
#[derive(Debug)]
pub(crate) enum News {
    ListChanged(ListKind),
    Updated {
        server: ServerId,
        uri: String,
    },
    Log(Box<RawValue>),
    /// A person is done at a server's page.
    Elicited {
        server: ServerId,
        id: String,
        params: Box<RawValue>,
    },
}

/// Somebody who is connected.
pub(crate) trait Hears: Send + Sync {
    /// Called where things happen: it must not wait.
    fn hear(&self, news: &News);

    /// From which level on it wants to hear the servers' logs, where it said so.
    fn log_level(&self) -> Option<LogLevel> {
        None
    }
}

/// Tells everybody who is there, and whoever else listens to the host.
pub(crate) struct Hub {
    metrics: Arc<Metrics>,
    connected: Mutex<Vec<Weak<dyn Hears>>>,
    also: OnceLock<Arc<dyn HostListener>>,
}

impl Hub {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, connected: Mutex::default(), also: OnceLock::new() }
    }

    /// Tells this one too; only the first that is named so.
    pub(crate) fn tell_also(&self, also: Arc<dyn HostListener>) {
        let _ = self.also.set(also);
    }

    pub(crate) fn join(&self, one: Weak<dyn Hears>) {
        let mut all = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        // Those who left are forgotten in passing, and rarely enough to cost nothing.
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
        }
        all.push(one);
    }

    /// The lowest level that anybody wants: a server has one for all.
    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        let wanted: Vec<_> = self.everybody().filter_map(|one| one.log_level()).collect();
        LogLevel::ALL.iter().copied().find(|level| wanted.contains(level))
    }

    fn tell(&self, news: &News) {
        self.everybody().for_each(|one| one.hear(news));
    }

    fn everybody(&self) -> impl Iterator<Item = Arc<dyn Hears>> {
        let all = self.connected.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.into_iter().filter_map(|one| one.upgrade())
    }
}

impl HostListener for Hub {
    fn happened(&self, event: HostEvent) {
        match &event {
            HostEvent::ListChanged { list, .. } | HostEvent::ListCame { list, .. } => {
                self.tell(&News::ListChanged(*list));
            }
            HostEvent::ResourceUpdated { server, uri } => {
                self.tell(&News::Updated { server: server.clone(), uri: uri.clone() });
            }
            HostEvent::Log { message, .. } => self.tell(&News::Log(message.clone())),
            HostEvent::ElicitationComplete { server, params } => {
                let id = RawObject::parse(params).ok().and_then(|read| read.text("elicitationId"));
                if let Some(id) = id {
                    let (server, id) = (server.clone(), id.into_owned());
                    self.tell(&News::Elicited { server, id, params: params.clone() });
                }
            }
            HostEvent::CallEnded { call, duration, ending } => {
                self.metrics.ended(call, *duration, *ending);
            }
            _ => {}
        }
        if let Some(also) = self.also.get() {
            also.happened(event);
        }
    }

    fn complained(&self, server: &ServerId, line: &str) {
        if let Some(also) = self.also.get() {
            also.complained(server, line);
        }
    }
}
