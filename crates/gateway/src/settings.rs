//! What a gateway is told by whoever runs it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use toolgate_host::{ApprovalQueue, Pool};
use toolgate_types::config::{ClientSettings, LimitsSection, Naming};
use toolgate_types::{PeerLink, Principal, Requester};

use crate::entrance::ConnectionEntrance;
use crate::host_maker::HostMaker;
use crate::known_caller::KnownCaller;
use crate::login_pages::LoginPages;
use crate::resource_metadata::ResourceMetadata;

/// How long a connection usually has to show a token that counts.
pub const KNOWN_WITHIN: Duration = Duration::from_secs(10);

/// Everything that does not change while it runs.
pub struct GatewaySettings {
    pub hosts: Arc<dyn HostMaker>,
    /// What a connection goes through first.
    pub entrance: ConnectionEntrance,
    /// Who may call; nobody where a token is wanted and none of these knows it.
    pub callers: Arc<dyn CallerVerifier>,
    /// What those are told that have to log in elsewhere, where tokens of an issuer are taken.
    pub resource: Option<ResourceMetadata>,
    /// Where those log in at servers, where they can.
    pub login_pages: Option<Arc<dyn LoginPages>>,
    pub naming: Naming,
    /// What differs for clients by name.
    pub clients: IndexMap<String, ClientSettings>,
    /// Names under which this gateway is reached besides those of the loopback interface.
    pub allowed_hosts: Vec<String>,
    /// Pages that may call, besides those of the loopback interface.
    pub allowed_origins: Vec<String>,
    pub limits: LimitsSection,
    /// Where calls of all hosts wait for a person, for who counts them.
    pub approvals: ApprovalQueue,
    /// The servers of all hosts, for who counts them.
    pub pool: Pool,
    /// How long a connection may take to its first request with a token that counts, whatever it
    /// says or does not say before.
    pub known_within: Duration,
    /// Who is told what deserves attention.
    pub watch: Arc<dyn GatewayWatch>,
}

/// Somebody who keeps an eye on the gateway.
#[async_trait]
pub trait GatewayWatch: Send + Sync {
    /// Called on the path of requests: it must not wait.
    fn noticed(&self, notice: GatewayNotice<'_>);

    /// Looks for the processes behind a connection over which somebody known speaks for the first
    /// time. Once for each connection, beside the work; the first answer waits for it, since whoever
    /// has that may be gone at once.
    async fn look_at(&self, _: &PeerLink) {}

    /// Whether a person may be asked through this caller itself: one whose process is known, and is
    /// no other client's nor a server's.
    async fn may_be_asked(&self, _: &Requester) -> bool {
        true
    }
}

/// Something that should not happen by itself.
#[derive(Debug, Clone, Copy)]
pub enum GatewayNotice<'a> {
    /// A caller used the id of a session that is not its own.
    ForeignSession { principal: &'a Principal },
}

/// Nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoGatewayWatch;

impl GatewayWatch for NoGatewayWatch {
    fn noticed(&self, _: GatewayNotice<'_>) {}
}

impl fmt::Debug for GatewaySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewaySettings").field("naming", &self.naming).finish_non_exhaustive()
    }
}

/// Who knows the credentials of callers.
#[async_trait]
pub trait CallerVerifier: Send + Sync {
    /// Who it is that brings this bearer token, or none.
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused>;

    /// The same of one who is let in without anybody having to be asked; whoever is not is looked at with
    /// [`Self::known`].
    fn known_already(&self, _bearer: Option<&str>) -> Option<KnownCaller> {
        None
    }
}

/// A caller that is not let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallerRefused {
    #[error("a token is needed")]
    Missing,
    #[error("this token is not known")]
    Unknown,
    /// It is known, and not good for this.
    #[error("this token lacks a scope that is needed here")]
    Scope,
    /// It could not be looked up; it may well be known a little later.
    #[error("the token could not be checked")]
    Unchecked,
}
