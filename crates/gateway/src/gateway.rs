//! The gateway itself: what all its connections share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_types::RoleId;
use toolgate_wire::Limits;

use crate::connecting::{ConnectionBounds, ConnectionRoom};
use crate::http::{Admission, message_limits};
use crate::metrics::Metrics;
use crate::place::{Known, NoPlace, Place, Places};
use crate::served::ServedHosts;
use crate::session::Sessions;
use crate::settings::Settings;

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// A gateway. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) admission: Admission,
    pub(crate) served: ServedHosts,
    pub(crate) sessions: Sessions,
    places: Places,
    pub(crate) metrics: Arc<Metrics>,
    /// Who is connected over HTTP.
    pub(crate) room: Arc<ConnectionRoom>,
    draining: CancellationToken,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").finish_non_exhaustive()
    }
}

impl Gateway {
    pub fn new(settings: Settings) -> Self {
        let admission = Admission::new(&settings.allowed_hosts, &settings.allowed_origins);
        let metrics = Arc::new(Metrics::default());
        let served = ServedHosts::new(Arc::clone(&settings.hosts), Arc::clone(&metrics));
        let sessions = Sessions::new(settings.limits.sessions);
        let room = ConnectionRoom::new(ConnectionBounds::within(settings.limits.connections));
        let draining = CancellationToken::new();
        Self {
            shared: Arc::new(Shared {
                settings,
                admission,
                served,
                sessions,
                places: Places::default(),
                metrics,
                room,
                draining,
            }),
        }
    }

    /// Ends the sessions that nobody used for too long, again and again.
    pub(crate) async fn sweep(&self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            for session in self.shared.sessions.take_idle() {
                crate::legacy::finish(&session).await;
            }
        }
    }

    /// From now on nothing new is begun anywhere. What is under way is finished, for a while, and
    /// those who are connected leave then.
    pub fn drain(&self) {
        self.shared.drain();
    }

    /// Forgets the hosts of a workspace and closes their servers. Whoever is connected to them has to
    /// leave; whoever comes next gets new ones.
    pub async fn forget(&self, workspace: Option<&str>) {
        let hosts = self.shared.served.forget(workspace);
        hosts.iter().for_each(|served| served.forgotten.cancel());
        self.shared.places.forget(workspace);
        for served in hosts {
            // What they subscribed to ends with the servers.
            for session in self.shared.sessions.take_at(&served) {
                session.ended().cancel();
                session.streams.end_general();
                session.place.end_session(&session.id).await;
            }
            served.host.close_all().await;
        }
    }

    /// Ends every host, and with them everything that they started.
    pub async fn close(&self) {
        self.shared.sessions.end_all();
        for served in self.shared.served.all() {
            served.host.close_all().await;
        }
    }
}

impl Shared {
    pub(crate) fn message_limits(&self) -> Limits {
        message_limits(self.settings.limits.message_bytes)
    }

    /// Where a known caller is with this address. What is not for the caller is not there.
    pub(crate) async fn place(
        &self,
        known: &Known,
        workspace: Option<&str>,
        role: Option<RoleId>,
    ) -> Result<Arc<Place>, NoPlace> {
        if !known.may_act_as(role.as_ref()) {
            return Err(NoPlace::NotThere);
        }
        if let Some(place) = self.places.find(known, workspace, role.as_ref()) {
            return match role.is_none_or(|role| place.served.host.has_role(&role)) {
                true => Ok(place),
                false => Err(NoPlace::NotThere),
            };
        }
        let served = self.served.get(workspace, &known.principal).await;
        let served = served.map_err(NoPlace::Unavailable)?.ok_or(NoPlace::NotThere)?;
        if role.as_ref().is_some_and(|role| !served.host.has_role(role)) {
            return Err(NoPlace::NotThere);
        }
        let place = Place::new(served, known, role.clone(), &self.settings);
        let place = Arc::new(place);
        self.places.keep(known, workspace, role, &place);
        Ok(place)
    }

    /// How long lists hold, for clients that are told.
    pub(crate) fn list_ttl(&self) -> u64 {
        u64::try_from(self.settings.limits.tools_ttl.duration().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// From now on nothing new is begun, and streams that would never end are ended.
    pub(crate) fn drain(&self) {
        self.draining.cancel();
        self.sessions.end_listening();
    }

    /// Ends when the gateway is about to.
    pub(crate) fn draining(&self) -> &CancellationToken {
        &self.draining
    }

    /// What can be counted, as Prometheus reads it.
    pub(crate) fn written_metrics(&self) -> String {
        self.metrics.written(self.sessions.len(), self.room.unknown())
    }
}
