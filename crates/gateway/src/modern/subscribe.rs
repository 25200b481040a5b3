//! `subscriptions/listen`: one long stream of changes, until either side ends it.

use std::collections::HashSet;
use std::sync::Arc;

use http::Response;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_host::{CallOptions, ResourcePlace};
use toolgate_types::{Caller, Era, ListKind, Requester};
use toolgate_wire::{
    ErrorCode, MessageIdBuf, ObjectSplice, RawObject, Request, SpliceValue, meta, method,
    write_notification,
};

use super::listened_tasks::ListenedTasks;
use super::modern_request::ClientClaims;
use crate::client_abilities::TASKS_LACKING;
use crate::http::begun_post::LaterResponse;
use crate::http::body::{ResponseBody, event_stream};
use crate::http::event_body::EventBody;
use crate::hub::{NewsListener, ServerNews};
use crate::place::CallerPlace;
use crate::refusal::RequestRefusal;
use crate::respond;
use crate::session::Subscription;
use crate::state::GatewayState;
use crate::written_event::event;

const UNREAD: usize = 64;

/// The most resources that one stream may be about.
const MOST_URIS: usize = 1000;

/// The most tasks: each is asked for again and again.
const MOST_TASKS: usize = 32;

/// What can be asked for of lists, and which it is about.
const LISTS: [(&str, &[ListKind]); 3] = [
    ("toolsListChanged", &[ListKind::Tools]),
    ("promptsListChanged", &[ListKind::Prompts]),
    ("resourcesListChanged", &[ListKind::Resources, ListKind::ResourceTemplates]),
];

/// Passes a message on, or drops it where nobody reads.
type TellClient = Box<dyn Fn(Vec<u8>) + Send + Sync>;

/// Somebody who listens.
struct StreamListener {
    id: MessageIdBuf,
    lists: Vec<ListKind>,
    resources: HashSet<Subscription>,
    tell: TellClient,
}

impl NewsListener for StreamListener {
    fn hear(&self, news: &ServerNews) {
        let is_wanted = match news {
            ServerNews::ListChanged(kind) => self.lists.contains(kind),
            ServerNews::Updated { server, uri } => {
                for one in self.resources.iter().filter(|one| one.is_about(server, uri)) {
                    (self.tell)(respond::updated(&one.asked, Some(self.id.as_id())));
                }
                false
            }
            // Log messages belong to the request that they are about.
            ServerNews::Log(_) | ServerNews::Elicited { .. } => false,
        };
        if is_wanted {
            (self.tell)(respond::news(news, Some(self.id.as_id())));
        }
    }
}

/// What a client wants to hear.
pub(crate) struct WantedNews {
    id: MessageIdBuf,
    lists: Vec<(&'static str, &'static [ListKind])>,
    uris: Option<Vec<String>>,
    tasks: Option<Vec<String>>,
    says: ClientClaims,
}

/// A stream of news that is open.
pub(crate) struct NewsStream {
    ear: Arc<StreamListener>,
    place: Arc<CallerPlace>,
    caller: Arc<Caller>,
    tasks: ListenedTasks,
}

impl WantedNews {
    pub(crate) fn of(request: &Request<'_>, says: ClientClaims) -> Result<Self, RequestRefusal> {
        let refuse = |why: &str| {
            RequestRefusal::bad_request(ErrorCode::INVALID_PARAMS, why)
                .to(Some(request.id.to_buf()))
        };
        let filter = request.params.as_ref().and_then(|params| params.get_some("notifications"));
        let filter = filter.and_then(|raw| RawObject::parse(raw).ok());
        let filter = filter.ok_or_else(|| refuse("`params.notifications` must be an object"))?;
        let is_wanted = |key: &str| filter.get(key).is_some_and(|raw| raw.get() == "true");
        let lists = LISTS.into_iter().filter(|(key, _)| is_wanted(key)).collect();
        let uris: Option<Vec<String>> = match filter.get_some("resourceSubscriptions") {
            Some(raw) => Some(
                serde_json::from_str(raw.get())
                    .map_err(|_| refuse("`resourceSubscriptions` must be a list of URIs"))?,
            ),
            None => None,
        };
        let tasks: Option<Vec<String>> = match filter.get_some("taskIds") {
            Some(_) if !says.takes_tasks => {
                let lacking = RequestRefusal::lacking(TASKS_LACKING);
                return Err(lacking.to(Some(request.id.to_buf())));
            }
            Some(raw) => Some(
                serde_json::from_str(raw.get())
                    .map_err(|_| refuse("`taskIds` must be a list of ids"))?,
            ),
            None => None,
        };
        if tasks.as_ref().is_some_and(|tasks| tasks.len() > MOST_TASKS) {
            return Err(refuse("these are too many tasks for one stream"));
        }
        if uris.as_ref().is_some_and(|uris| uris.len() > MOST_URIS) {
            return Err(refuse("these are too many resources for one stream"));
        }
        Ok(Self { id: request.id.to_buf(), lists, uris, tasks, says })
    }

    /// Subscribes to what can be, and says what that is. Nothing is heard before [`NewsStream::begin`].
    pub(crate) async fn open(
        self,
        place: Arc<CallerPlace>,
        caller: Arc<Caller>,
        tell: TellClient,
    ) -> (NewsStream, Vec<u8>) {
        let resources = subscribe(&place, &caller, self.uris.as_deref().unwrap_or_default()).await;
        let tasks = self.tasks.as_deref().unwrap_or_default();
        let tasks = ListenedTasks::of(tasks, &self.says, &place, &caller).await;
        let acknowledged = self.acknowledgement(&resources, &tasks);
        let lists = self.lists.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
        let ear = Arc::new(StreamListener { id: self.id, lists, resources, tell });
        (NewsStream { ear, place, caller, tasks }, acknowledged)
    }

    /// What is listened for from now on: what was asked, less what cannot be.
    fn acknowledgement(&self, resources: &HashSet<Subscription>, tasks: &ListenedTasks) -> Vec<u8> {
        let mut agreed = ObjectSplice::new();
        for (key, _) in &self.lists {
            agreed.set(*key, SpliceValue::Raw(RawValue::TRUE));
        }
        if self.uris.is_some() {
            let mut uris: Vec<&str> = resources.iter().map(|one| one.asked.as_str()).collect();
            uris.sort_unstable();
            if let Ok(uris) = serde_json::value::to_raw_value(&uris) {
                agreed.set("resourceSubscriptions", SpliceValue::Owned(uris));
            }
        }
        if self.tasks.is_some()
            && let Ok(tasks) = serde_json::value::to_raw_value(&tasks.ids())
        {
            agreed.set("taskIds", SpliceValue::Owned(tasks));
        }
        let mut own = ObjectSplice::new();
        own.set(meta::SUBSCRIPTION_ID, respond::id_value(self.id.as_id()));
        let mut params = ObjectSplice::new();
        params
            .set("notifications", SpliceValue::Object(Box::new(agreed)))
            .set(meta::META, SpliceValue::Object(Box::new(own)));
        let mut bytes = Vec::new();
        write_notification(&mut bytes, method::SUBSCRIPTIONS_ACKNOWLEDGED, Some(&params));
        bytes
    }
}

impl NewsStream {
    /// From now on news are passed on.
    pub(crate) fn begin(&mut self) {
        let ear = Arc::clone(&self.ear);
        self.tasks.begin(&self.ear.id, move |message| (ear.tell)(message));
        self.place.served.hub.join(Arc::downgrade(&self.ear) as std::sync::Weak<dyn NewsListener>);
    }

    /// From now on nothing is. What comes after the last message, and what is left to give up.
    pub(crate) fn end(self) -> (Vec<u8>, SubscribedStream) {
        let Self { ear, place, caller, tasks } = self;
        drop(tasks);
        let farewell = respond::no_more_news(&ear.id);
        let resources = ear.resources.clone();
        (farewell, SubscribedStream { resources, place, caller })
    }
}

/// What a stream was subscribed to.
pub(crate) struct SubscribedStream {
    resources: HashSet<Subscription>,
    place: Arc<CallerPlace>,
    caller: Arc<Caller>,
}

impl SubscribedStream {
    pub(crate) async fn give_up(self) {
        for Subscription { place: ResourcePlace { server, uri }, .. } in &self.resources {
            let options = options(&self.place, &self.caller);
            let _ = self.place.served.host.unsubscribe(server, uri, options).await;
        }
    }
}

/// The same over HTTP, until the client closes the stream.
pub(super) fn listen(
    shared: &Arc<GatewayState>,
    place: Arc<CallerPlace>,
    request: &Request<'_>,
    says: ClientClaims,
) -> Result<LaterResponse, RequestRefusal> {
    if shared.is_draining() {
        return Err(RequestRefusal::draining().to(Some(request.id.to_buf())));
    }
    let wanted = WantedNews::of(request, says)?;
    let draining = shared.draining().clone();
    Ok(Box::pin(async move { Ok(open_stream(wanted, place, draining).await) }))
}

async fn open_stream(
    wanted: WantedNews,
    place: Arc<CallerPlace>,
    draining: CancellationToken,
) -> Response<ResponseBody> {
    let (sender, receiver) = mpsc::channel(UNREAD);
    let queue = sender.downgrade();
    let tell: TellClient = Box::new(move |message| {
        if let Some(queue) = queue.upgrade() {
            let _ = queue.try_send(event(&message, None).into());
        }
    });
    let caller = place.caller(Era::Modern, None, None, (Requester::Unknown, None));
    let forgotten = place.served.forgotten.clone();
    let (mut listening, acknowledged) = wanted.open(place, caller, tell).await;
    let _ = sender.try_send(event(&acknowledged, None).into());
    listening.begin();
    tokio::spawn(async move {
        let is_closed = tokio::select! {
            () = sender.closed() => true,
            () = draining.cancelled() => false,
            () = forgotten.cancelled() => false,
        };
        let (farewell, held) = listening.end();
        if !is_closed {
            let _ = sender.send(event(&farewell, None).into()).await;
        }
        // With it the stream ends, however long the rest takes.
        drop(sender);
        held.give_up().await;
    });
    event_stream(EventBody::new(receiver))
}

/// Those of the resources that exist and can be listened to.
async fn subscribe(
    place: &CallerPlace,
    caller: &Arc<Caller>,
    uris: &[String],
) -> HashSet<Subscription> {
    let mut subscribed = HashSet::new();
    let host = &place.served.host;
    for uri in uris {
        let Ok(found) = host.find_resource(&place.address(), uri).await else { continue };
        let wanted = Subscription { place: found, asked: uri.clone() };
        let ResourcePlace { server, uri } = &wanted.place;
        if !subscribed.contains(&wanted)
            && host.subscribe(server, uri, options(place, caller)).await.is_ok()
        {
            subscribed.insert(wanted);
        }
    }
    subscribed
}

fn options(place: &CallerPlace, caller: &Arc<Caller>) -> CallOptions {
    CallOptions {
        caller: Some(Arc::clone(caller)),
        address: place.address(),
        ..CallOptions::default()
    }
}
