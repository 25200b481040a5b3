//! `subscriptions/listen`: one long stream of changes, until either side ends it.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolgate_host::Options;
use toolgate_types::{Era, ListKind, ServerId};
use toolgate_wire::{
    ErrorCode, IdBuf, RawObject, Request, Splice, Value, meta, method, write_notification,
};

use crate::gateway::Shared;
use crate::http::{Body, Events, Refusal, event_stream};
use crate::hub::{Hears, News};
use crate::place::Place;
use crate::respond;
use crate::work::event;

const UNREAD: usize = 64;

/// The most resources that one stream may be about.
const MOST_URIS: usize = 1000;

/// What can be asked for of lists, and which it is about.
const LISTS: [(&str, &[ListKind]); 3] = [
    ("toolsListChanged", &[ListKind::Tools]),
    ("promptsListChanged", &[ListKind::Prompts]),
    ("resourcesListChanged", &[ListKind::Resources, ListKind::ResourceTemplates]),
];

/// Somebody who listens.
struct Ear {
    id: IdBuf,
    lists: Vec<ListKind>,
    resources: HashSet<(ServerId, String)>,
    stream: mpsc::Sender<Bytes>,
}

impl Hears for Ear {
    fn hear(&self, news: &News) {
        let is_wanted = match news {
            News::ListChanged(kind) => self.lists.contains(kind),
            News::Updated { server, uri } => {
                self.resources.contains(&(server.clone(), uri.clone()))
            }
            // Log messages belong to the request that they are about.
            News::Log(_) | News::Elicited { .. } => false,
        };
        if is_wanted {
            let _ = self.stream.try_send(event(&respond::news(news, Some(self.id.as_id())), None));
        }
    }
}

pub(super) async fn listen(
    shared: &Arc<Shared>,
    place: Arc<Place>,
    request: &Request<'_>,
) -> Result<Response<Body>, Refusal> {
    let id = request.id.to_buf();
    if shared.is_draining() {
        return Err(Refusal::draining().to(Some(id)));
    }
    let refuse = |why: &str| {
        Refusal::bad_request(ErrorCode::INVALID_PARAMS, why).to(Some(request.id.to_buf()))
    };
    let filter = request.params.as_ref().and_then(|params| params.get_some("notifications"));
    let filter = filter.and_then(|raw| RawObject::parse(raw).ok());
    let filter = filter.ok_or_else(|| refuse("`params.notifications` must be an object"))?;
    let is_wanted = |key: &str| filter.get(key).is_some_and(|raw| raw.get() == "true");
    let mut lists = Vec::new();
    for (key, kinds) in LISTS {
        if is_wanted(key) {
            lists.extend_from_slice(kinds);
        }
    }
    let uris: Vec<String> = match filter.get_some("resourceSubscriptions") {
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|_| refuse("`resourceSubscriptions` must be a list of URIs"))?,
        None => Vec::new(),
    };
    if uris.len() > MOST_URIS {
        return Err(refuse("these are too many resources for one stream"));
    }
    let resources = subscribe(&place, &uris).await;
    let (sender, receiver) = mpsc::channel(UNREAD);
    let acknowledged = acknowledgement(&id, &filter, &resources);
    let _ = sender.try_send(event(&acknowledged, None));
    let ear = Ear { id: id.clone(), lists, resources, stream: sender.clone() };
    let ear = Arc::new(ear);
    place.served.hub.join(Arc::downgrade(&ear) as std::sync::Weak<dyn Hears>);
    let draining = shared.draining().clone();
    tokio::spawn(async move {
        tokio::select! {
            () = sender.closed() => {}
            () = draining.cancelled() => {
                let _ = sender.send(event(&respond::no_more_news(&id), None)).await;
            }
        }
        for (server, uri) in &ear.resources {
            let _ = place.served.host.unsubscribe(server, uri, options(&place)).await;
        }
    });
    Ok(event_stream(Events(receiver)))
}

/// Those of the resources that exist and can be listened to.
async fn subscribe(place: &Place, uris: &[String]) -> HashSet<(ServerId, String)> {
    let mut subscribed = HashSet::new();
    let host = &place.served.host;
    for uri in uris {
        let Some(server) = host.owner_of(&place.audience.address, uri).await else { continue };
        let key = (server, uri.clone());
        if !subscribed.contains(&key) && host.subscribe(&key.0, uri, options(place)).await.is_ok() {
            subscribed.insert(key);
        }
    }
    subscribed
}

fn options(place: &Place) -> Options {
    Options {
        caller: Some(place.caller(Era::Modern, None, None)),
        address: place.audience.address.clone(),
        ..Options::default()
    }
}

/// What is listened for from now on: what was asked, less what cannot be.
fn acknowledgement(
    id: &IdBuf,
    filter: &RawObject<'_>,
    resources: &HashSet<(ServerId, String)>,
) -> Vec<u8> {
    let mut agreed = Splice::new();
    for (key, _) in LISTS {
        if filter.get(key).is_some_and(|raw| raw.get() == "true") {
            agreed.set(key, Value::Raw(RawValue::TRUE));
        }
    }
    if filter.get_some("resourceSubscriptions").is_some() {
        let mut uris: Vec<&str> = resources.iter().map(|(_, uri)| uri.as_str()).collect();
        uris.sort_unstable();
        if let Ok(uris) = serde_json::value::to_raw_value(&uris) {
            agreed.set("resourceSubscriptions", Value::Owned(uris));
        }
    }
    let mut own = Splice::new();
    own.set(meta::SUBSCRIPTION_ID, respond::id_value(id.as_id()));
    let mut params = Splice::new();
    params
        .set("notifications", Value::Object(Box::new(agreed)))
        .set(meta::META, Value::Object(Box::new(own)));
    let mut bytes = Vec::new();
    write_notification(&mut bytes, method::SUBSCRIPTIONS_ACKNOWLEDGED, Some(&params));
    bytes
}
