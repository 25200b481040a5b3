//! What all connections of a gateway share.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_types::Principal;
use toolgate_wire::MessageLimits;

use crate::connection::{ConnectionBounds, ConnectionRoom};
use crate::connection_threads::ConnectionThreads;
use crate::http::OriginCheck;
use crate::known_caller::KnownCaller;
use crate::metrics::{GatewayMetrics, GatewayReadings};
use crate::place::{CallerPlace, CallerPlaces, NoPlace, PlaceAddress};
use crate::served::ServedHosts;
use crate::session::SessionTable;
use crate::settings::GatewaySettings;

pub(crate) struct GatewayState {
    pub(crate) settings: GatewaySettings,
    pub(crate) admission: OriginCheck,
    pub(crate) served: ServedHosts,
    pub(crate) sessions: SessionTable,
    pub(crate) places: CallerPlaces,
    pub(crate) metrics: Arc<GatewayMetrics>,
    /// Who is connected over HTTP.
    pub(crate) room: Arc<ConnectionRoom>,
    /// Where connections are served, of this gateway and those beside it.
    pub(crate) threads: Arc<ConnectionThreads>,
    draining: CancellationToken,
}

impl GatewayState {
    pub(crate) fn new(
        settings: GatewaySettings,
        metrics: Arc<GatewayMetrics>,
        threads: Arc<ConnectionThreads>,
    ) -> Self {
        let admission = OriginCheck::new(&settings.allowed_hosts, &settings.allowed_origins);
        let served = ServedHosts::new(Arc::clone(&settings.hosts), Arc::clone(&metrics));
        let sessions = SessionTable::new(settings.limits.sessions);
        let room = ConnectionRoom::new(ConnectionBounds::within(settings.limits.connections));
        let draining = CancellationToken::new();
        Self {
            settings,
            admission,
            served,
            sessions,
            places: CallerPlaces::default(),
            metrics,
            room,
            threads,
            draining,
        }
    }

    pub(crate) fn message_limits(&self) -> MessageLimits {
        let bytes = usize::try_from(self.settings.limits.message_bytes).unwrap_or(usize::MAX);
        MessageLimits { bytes, ..MessageLimits::DEFAULT }
    }

    /// Where a known caller is with this address. What is not for the caller is not there.
    pub(crate) async fn place(
        &self,
        known: &KnownCaller,
        workspace: Option<&str>,
        address: PlaceAddress,
    ) -> Result<Arc<CallerPlace>, NoPlace> {
        let own = known.client.as_ref().and_then(|name| self.settings.clients.get(name));
        let address = address.within(own.and_then(|client| client.role.as_ref()))?;
        let address = address.of_caller(known)?;
        if let Some(place) = self.places.find(known, workspace, &address) {
            place.served.touch();
            return if address.is_at(&place.served.host) {
                Ok(place)
            } else {
                Err(NoPlace::NotThere)
            };
        }
        // Anybody whom an issuer knows may come and see nothing; one host is enough for all of them.
        let served = match address.is_empty {
            true => self.served.get(workspace, &KnownCaller::of(Principal::nobody())).await,
            false => self.served.get(workspace, known).await,
        };
        let served = served.map_err(NoPlace::Unavailable)?.ok_or(NoPlace::NotThere)?;
        served.touch();
        if !address.is_at(&served.host) {
            return Err(NoPlace::NotThere);
        }
        let place = CallerPlace::new(served, known, address.clone(), &self.settings);
        let place = Arc::new(place);
        self.places.keep(known, workspace, address, &place);
        // Whoever arrives asks for the list of tools next.
        place.served.write_ahead(&place.audience()).await;
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
        let GatewaySettings { approvals, pool, .. } = &self.settings;
        let hosts = self.served.all();
        self.metrics.written(&GatewayReadings {
            sessions: self.sessions.len(),
            unknown: self.room.unknown(),
            servers_running: pool.servers(),
            starts_waiting: pool.starts_waiting(),
            records_waiting: hosts.iter().map(|served| served.host.records_waiting()).sum(),
            approvals_waiting: approvals.waiting().len(),
            answered: approvals.answered(),
            restarts: pool.restarts(),
        })
    }
}
