//! News of a host's servers, for whoever is connected and wants to hear them.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock, Weak};

use serde_json::value::RawValue;
use toolgate_types::{HostEvent, HostListener, ListKind, LogLevel, ServerId};
use toolgate_wire::RawObject;

use crate::metrics::GatewayMetrics;

/// Something that happened at a server and is not the answer to anybody's request.
#[derive(Debug)]
pub(crate) enum ServerNews {
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
pub(crate) trait NewsListener: Send + Sync {
    /// Called where things happen: it must not wait.
    fn hear(&self, news: &ServerNews);

    /// From which level on it wants to hear the servers' logs, as far as it said so; nothing where it
    /// hears none by being connected.
    fn log_level(&self) -> Option<Option<LogLevel>> {
        None
    }
}

/// Tells everybody who is there, and whoever else listens to the host.
pub(crate) struct NewsHub {
    metrics: Arc<GatewayMetrics>,
    connected: Mutex<Vec<Weak<dyn NewsListener>>>,
    /// What is kept for those who come, and is nobody itself.
    kept: OnceLock<Arc<dyn NewsListener>>,
    also: OnceLock<Arc<dyn HostListener>>,
}

impl NewsHub {
    pub(crate) fn new(metrics: Arc<GatewayMetrics>) -> Self {
        Self { metrics, connected: Mutex::default(), kept: OnceLock::new(), also: OnceLock::new() }
    }

    /// Tells this one too; only the first that is named so.
    pub(crate) fn tell_also(&self, also: Arc<dyn HostListener>) {
        let _ = self.also.set(also);
    }

    /// Tells what is kept for everybody, before anybody can ask for it; only the first that is named so.
    pub(crate) fn tell_first(&self, kept: Arc<dyn NewsListener>) {
        let _ = self.kept.set(kept);
    }

    pub(crate) fn join(&self, one: Weak<dyn NewsListener>) {
        let mut all = self.connected.lock();
        // Those who left are forgotten in passing, and rarely enough to cost nothing.
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
        }
        all.push(one);
    }

    /// Whether nobody is there.
    pub(crate) fn is_empty(&self) -> bool {
        !self.connected.lock().iter().any(|one| one.strong_count() > 0)
    }

    /// The level that does for everybody: a server has one for all.
    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        let wanted: Vec<_> = self.everybody().filter_map(|one| one.log_level()).collect();
        LogLevel::lowest_of(&wanted)
    }

    /// All lists may be others by now.
    pub(crate) fn tell_lists_changed(&self) {
        for list in [ListKind::Tools, ListKind::Resources, ListKind::Prompts] {
            self.tell(&ServerNews::ListChanged(list));
        }
    }

    fn tell(&self, news: &ServerNews) {
        if let Some(kept) = self.kept.get() {
            kept.hear(news);
        }
        self.everybody().for_each(|one| one.hear(news));
    }

    fn everybody(&self) -> impl Iterator<Item = Arc<dyn NewsListener>> {
        let all = self.connected.lock().clone();
        all.into_iter().filter_map(|one| one.upgrade())
    }
}

impl HostListener for NewsHub {
    fn happened(&self, event: HostEvent) {
        match &event {
            HostEvent::ListChanged { list, .. } | HostEvent::ListCame { list, .. } => {
                self.tell(&ServerNews::ListChanged(*list));
            }
            HostEvent::ResourceUpdated { server, uri } => {
                self.tell(&ServerNews::Updated { server: server.clone(), uri: uri.clone() });
            }
            HostEvent::Log { message, .. } => self.tell(&ServerNews::Log(message.clone())),
            HostEvent::ElicitationComplete { server, params } => {
                let id = RawObject::parse(params).ok().and_then(|read| read.text("elicitationId"));
                if let Some(id) = id {
                    let (server, id) = (server.clone(), id.into_owned());
                    self.tell(&ServerNews::Elicited { server, id, params: params.clone() });
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
