//! Where a request is made and by whom: the answer to "which host, seen how".

use parking_lot::Mutex;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use toolgate_host::{Audience, AudienceAddress, ResultReader};
use toolgate_types::{Caller, Era, Principal, Requester, RoleId, SessionId};

use crate::known_caller::KnownCaller;
use crate::served::ServedHost;
use crate::settings::{GatewaySettings, GatewayWatch};

/// Why there is no place for a caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// No such workspace or role, or not for this caller: it is not told which.
    #[error("there is no such workspace or role for this client")]
    NotThere,
    /// It is there and cannot be served now; the reason in one sentence.
    #[error("{0}")]
    Unavailable(String),
}

/// One caller at one address.
pub(crate) struct CallerPlace {
    pub(crate) served: Arc<ServedHost>,
    pub(crate) audience: Audience,
    pub(crate) reader: ResultReader,
    principal: Principal,
    client: Option<String>,
    shows_forms: bool,
    watch: Arc<dyn GatewayWatch>,
    folder: PathBuf,
}

impl fmt::Debug for CallerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerPlace").field("principal", &self.principal).finish_non_exhaustive()
    }
}

impl CallerPlace {
    pub(crate) fn new(
        served: Arc<ServedHost>,
        known: &KnownCaller,
        role: Option<RoleId>,
        gateway: &GatewaySettings,
    ) -> Self {
        let settings = known.client.as_ref().and_then(|name| gateway.clients.get(name));
        let address = role.map_or(AudienceAddress::Everything, AudienceAddress::Role);
        let of_client = settings.and_then(|client| client.naming);
        let naming = served.naming.or(of_client).unwrap_or(gateway.naming);
        let audience = Audience { naming, resource_tools: false, address };
        let result_bytes = settings.and_then(|client| client.result_bytes);
        let reader = ResultReader { result_bytes, ..ResultReader::default() };
        let folder = served.folder.clone();
        let (principal, client) = (known.principal.clone(), known.client.clone());
        let (shows_forms, watch) = (known.shows_forms, Arc::clone(&gateway.watch));
        Self { served, audience, reader, principal, client, shows_forms, watch, folder }
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether forms about approvals may go to this caller at all.
    pub(crate) fn shows_forms(&self) -> bool {
        self.shows_forms
    }

    /// Whether a person may be asked through this caller, as its processes are now.
    pub(crate) async fn may_be_asked(&self, caller: &Caller) -> bool {
        self.shows_forms && self.watch.may_be_asked(&caller.requester).await
    }

    /// Ends what servers have for this session alone.
    pub(crate) async fn end_session(&self, id: &str) {
        self.served.host.end_session(&SessionId(id.to_owned())).await;
    }

    /// Whether a session that was opened there is this one's too.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.principal == other.principal
            && self.audience == other.audience
            && Arc::ptr_eq(&self.served, &other.served)
    }

    /// Who calls, as records name it. What a client says of itself is only a name for people.
    pub(crate) fn caller(
        &self,
        era: Era,
        session: Option<&str>,
        says: Option<&str>,
        requester: Requester,
    ) -> Arc<Caller> {
        Arc::new(Caller {
            principal: self.principal.clone(),
            session: session.map(|id| SessionId(id.to_owned())),
            workspace: self.folder.clone(),
            client: self.client.clone().or_else(|| says.map(str::to_owned)),
            era: Some(era),
            requester,
        })
    }
}

/// How many places are remembered; the others are worked out each time.
const REMEMBERED: usize = 64;

/// The places where callers were last found.
#[derive(Debug, Default)]
pub(crate) struct CallerPlaces(Mutex<Vec<RememberedPlace>>);

#[derive(Debug)]
struct RememberedPlace {
    known: KnownCaller,
    workspace: Option<String>,
    role: Option<RoleId>,
    place: Arc<CallerPlace>,
}

impl CallerPlaces {
    pub(crate) fn find(
        &self,
        known: &KnownCaller,
        workspace: Option<&str>,
        role: Option<&RoleId>,
    ) -> Option<Arc<CallerPlace>> {
        let all = self.0.lock();
        let is_it = |one: &&RememberedPlace| {
            one.known == *known
                && one.workspace.as_deref() == workspace
                && one.role.as_ref() == role
        };
        all.iter().find(is_it).map(|one| Arc::clone(&one.place))
    }

    pub(crate) fn keep(
        &self,
        known: &KnownCaller,
        workspace: Option<&str>,
        role: Option<RoleId>,
        place: &Arc<CallerPlace>,
    ) {
        let mut all = self.0.lock();
        // One that was forgotten while it was worked out would be found for ever.
        if place.served.forgotten.is_cancelled() {
            return;
        }
        if all.len() >= REMEMBERED {
            all.remove(0);
        }
        let (known, workspace) = (known.clone(), workspace.map(str::to_owned));
        all.push(RememberedPlace { known, workspace, role, place: Arc::clone(place) });
    }

    /// Forgets where callers of this workspace were; its hosts are forgotten already.
    pub(crate) fn forget(&self, workspace: Option<&str>) {
        let mut all = self.0.lock();
        all.retain(|one| one.workspace.as_deref() != workspace);
    }
}
