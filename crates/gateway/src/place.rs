//! Where a request is made and by whom: the answer to "which host, seen how".

use parking_lot::Mutex;
use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use toolgate_host::{ActingAs, Audience, AudienceAddress, Host, ResultReader};
use toolgate_types::config::ClientSettings;
use toolgate_types::{
    CallError, Caller, Era, Principal, Requester, RoleId, ServerId, SessionId, SessionOverrides,
};

use crate::known_caller::KnownCaller;
use crate::login_advice::LoginAdvice;
use crate::served::ServedHost;
use crate::settings::{GatewaySettings, GatewayWatch};
use crate::window_switches::WindowSwitches;

/// Why there is no place for a caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// No such workspace or role, or not for this caller: it is not told which.
    #[error("there is no such workspace or role, step or bundle for this client")]
    NotThere,
    /// It is there and cannot be served now; the reason in one sentence.
    #[error("{0}")]
    Unavailable(String),
}

/// Which part of what is configured a caller asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlaceAddress {
    pub(crate) acting: Option<ActingAs>,
    /// One server alone.
    pub(crate) server: Option<ServerId>,
    /// It is there, and shows nothing.
    pub(crate) is_empty: bool,
}

impl PlaceAddress {
    /// The same for a client that may have this role only.
    pub(crate) fn within(self, only: Option<&RoleId>) -> Result<Self, NoPlace> {
        match (only, &self.acting) {
            (Some(only), Some(acting)) if only != acting.role() => Err(NoPlace::NotThere),
            (Some(only), None) => Ok(Self { acting: Some(ActingAs::Role(only.clone())), ..self }),
            (Some(_), Some(_)) | (None, _) => Ok(self),
        }
    }

    /// The same for this caller, which may not act as everybody.
    pub(crate) fn of_caller(self, known: &KnownCaller) -> Result<Self, NoPlace> {
        let acting = self.acting.as_ref();
        match &known.roles {
            Some(roles) if known.acts_in_first_role && acting.is_none() => {
                Ok(match roles.first() {
                    Some(role) => Self { acting: Some(ActingAs::Role(role.clone())), ..self },
                    None => Self { is_empty: true, ..self },
                })
            }
            _ if known.may_act_as(acting.map(ActingAs::role)) => Ok(self),
            _ => Err(NoPlace::NotThere),
        }
    }

    /// Whether a host has what it names.
    pub(crate) fn is_at(&self, host: &Host) -> bool {
        let whole = self.whole();
        self.acting.as_ref().is_none_or(|acting| host.has_acting(acting))
            && self.server.as_ref().is_none_or(|server| host.has_server_at(&whole, server))
    }

    fn whole(&self) -> AudienceAddress {
        if self.is_empty {
            return AudienceAddress::Bundles(Vec::new());
        }
        AudienceAddress::acting(self.acting.clone())
    }

    fn of_audience(&self) -> AudienceAddress {
        match &self.server {
            Some(server) => self.whole().only(server.clone()),
            None => self.whole(),
        }
    }
}

/// One caller at one address.
#[derive(Clone)]
pub(crate) struct CallerPlace {
    pub(crate) served: Arc<ServedHost>,
    audience: Audience,
    /// What a person switched off for this caller alone.
    switches: Option<Arc<WindowSwitches>>,
    pub(crate) reader: ResultReader,
    principal: Principal,
    /// Of who comes without a session.
    party: Arc<str>,
    client: Option<String>,
    shows_forms: bool,
    watch: Arc<dyn GatewayWatch>,
    login_advice: LoginAdvice,
    folder: Arc<Path>,
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
        address: PlaceAddress,
        gateway: &GatewaySettings,
    ) -> Self {
        let settings = known.client.as_ref().and_then(|name| gateway.clients.get(name));
        let address = address.of_audience();
        let of_client = settings.and_then(|client| client.naming);
        let naming = served.naming.or(of_client).unwrap_or(gateway.naming);
        let exposure = served.host.exposure_for(known.client.as_deref());
        let resource_tools =
            ClientSettings::offers_resource_tools(known.client.as_deref(), settings);
        let audience = Audience { naming, resource_tools, exposure, ..Audience::at(address) };
        let result_bytes = settings.and_then(|client| client.result_bytes);
        let reader = ResultReader { result_bytes, ..ResultReader::default() };
        let folder = served.folder.as_path().into();
        let (principal, client) = (known.principal.clone(), known.client.clone());
        let (shows_forms, watch) = (known.shows_forms, Arc::clone(&gateway.watch));
        Self {
            served,
            audience,
            switches: None,
            reader,
            party: party_of(&principal, None),
            principal,
            client,
            shows_forms,
            watch,
            login_advice: LoginAdvice::of(known, gateway.login_pages.as_ref()),
            folder,
        }
    }

    /// The same for one window, with what is switched off there.
    pub(crate) fn for_window(&self, switches: Arc<WindowSwitches>) -> Self {
        Self { switches: Some(switches), ..self.clone() }
    }

    /// For whom lists are made and things are done, as it is now.
    pub(crate) fn audience(&self) -> Cow<'_, Audience> {
        let off = self.switches.as_ref().and_then(|switches| switches.off());
        // A load may have changed it.
        let exposure = self.served.host.exposure_for(self.client.as_deref());
        if off.is_none() && exposure == self.audience.exposure {
            return Cow::Borrowed(&self.audience);
        }
        let audience = self.audience.clone();
        let address = match off {
            Some(off) => audience.address.without(off),
            None => audience.address,
        };
        Cow::Owned(Audience { address, exposure, ..audience })
    }

    /// The part of what is configured that this caller sees, as it is now.
    pub(crate) fn address(&self) -> AudienceAddress {
        self.audience().into_owned().address
    }

    /// Whose requests belong together.
    pub(crate) fn party(&self, session: Option<&SessionId>) -> Arc<str> {
        match session {
            Some(_) => party_of(&self.principal, session),
            None => Arc::clone(&self.party),
        }
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

    /// A failure with what this caller can do about it.
    pub(crate) fn advised(&self, error: CallError) -> CallError {
        self.login_advice.beside(error)
    }

    /// How somebody logs in at a server for this caller, where somebody can.
    pub(crate) fn login_at(&self, server: &ServerId) -> Option<String> {
        self.login_advice.at(server)
    }

    /// Ends what servers have for this session alone.
    pub(crate) async fn end_session(&self, id: &str) {
        self.served.host.end_session(&SessionId(id.to_owned())).await;
    }

    /// Whether a session that was opened there is this one's too.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.principal == other.principal
            && self.is_at(other)
            && Arc::ptr_eq(&self.served, &other.served)
    }

    /// How tools are listed there may have changed meanwhile, and is nothing that is asked for.
    fn is_at(&self, other: &Self) -> bool {
        let Audience { naming, resource_tools, exposure: _, address, overrides } = &self.audience;
        let its = &other.audience;
        (*naming, *resource_tools) == (its.naming, its.resource_tools)
            && (address, overrides) == (&its.address, &its.overrides)
    }

    /// Who calls, as records name it. What a client says of itself is only a name for people.
    pub(crate) fn caller(
        &self,
        era: Era,
        session: Option<&str>,
        says: Option<String>,
        (requester, overrides): (Requester, Option<Arc<SessionOverrides>>),
    ) -> Arc<Caller> {
        Arc::new(Caller {
            principal: self.principal.clone(),
            session: session.map(|id| SessionId(id.to_owned())),
            workspace: Arc::clone(&self.folder),
            client: self.client.clone().or(says),
            era: Some(era),
            requester,
            overrides,
        })
    }
}

/// Two requests of one principal in one session are one party's.
fn party_of(principal: &Principal, session: Option<&SessionId>) -> Arc<str> {
    let session = session.map_or("", |session| &session.0);
    [principal.as_str(), "\n", session].concat().into()
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
    address: PlaceAddress,
    place: Arc<CallerPlace>,
}

impl CallerPlaces {
    pub(crate) fn find(
        &self,
        known: &KnownCaller,
        workspace: Option<&str>,
        address: &PlaceAddress,
    ) -> Option<Arc<CallerPlace>> {
        let all = self.0.lock();
        let is_it = |one: &&RememberedPlace| {
            one.known.is_like(known)
                && one.workspace.as_deref() == workspace
                && one.address == *address
        };
        all.iter().find(is_it).map(|one| Arc::clone(&one.place))
    }

    pub(crate) fn keep(
        &self,
        known: &KnownCaller,
        workspace: Option<&str>,
        address: PlaceAddress,
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
        all.push(RememberedPlace { known, workspace, address, place: Arc::clone(place) });
    }

    /// Whether anybody but us holds a host, itself or by one of the places.
    pub(crate) fn is_somebody_at(&self, served: &Arc<ServedHost>) -> bool {
        let all = self.0.lock();
        Self::is_held(&all, served)
    }

    /// Forgets where callers of a host were, unless somebody is there again.
    pub(crate) fn forget_unused(&self, served: &Arc<ServedHost>) -> bool {
        let mut all = self.0.lock();
        if Self::is_held(&all, served) {
            return false;
        }
        all.retain(|one| !Arc::ptr_eq(&one.place.served, served));
        true
    }

    /// The table of hosts holds it, and each place that is remembered.
    fn is_held(all: &[RememberedPlace], served: &Arc<ServedHost>) -> bool {
        let its = all.iter().filter(|one| Arc::ptr_eq(&one.place.served, served));
        let (count, is_used) = its.fold((0, false), |(count, is_used), one| {
            (count + 1, is_used || Arc::strong_count(&one.place) > 1)
        });
        is_used || Arc::strong_count(served) > 1 + count
    }

    /// Forgets where callers of this workspace were; its hosts are forgotten already.
    pub(crate) fn forget(&self, workspace: Option<&str>) {
        let mut all = self.0.lock();
        all.retain(|one| one.workspace.as_deref() != workspace);
    }
}
