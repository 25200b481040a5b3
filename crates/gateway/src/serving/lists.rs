//! The four lists, written once for each audience and state of the servers.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use toolgate_host::{
    Audience, Found, ListedResource, PAGE_MEMBERS, Prompts, ToolEntry, UriClaims, View,
};
use toolgate_types::ListKind;
use toolgate_wire::{Payload, RawObject, Splice, Value, meta};

use super::page::Pages;
use crate::served::Served;

/// How many lists of audiences that come and go are kept.
const KEPT: usize = 64;

/// The lists that were written, each with the state that it is of.
#[derive(Default)]
pub(crate) struct Lists(Mutex<Vec<Kept>>);

struct Kept {
    audience: Audience,
    kind: ListKind,
    epoch: u64,
    pages: Arc<Pages>,
}

/// What a list is written from.
enum Listed {
    Tools(Arc<View>),
    Prompts(Prompts),
    Resources(Vec<ListedResource>),
}

impl Served {
    /// A list as this audience sees it.
    pub(crate) async fn list(
        &self,
        audience: &Audience,
        kind: ListKind,
        ttl_ms: u64,
    ) -> Arc<Pages> {
        // Whatever has to be asked is asked each time: a list that is too old is not what was written.
        let before = self.host.epoch();
        let listed = match kind {
            ListKind::Tools => Listed::Tools(self.host.list_tools(audience).await),
            ListKind::Prompts => Listed::Prompts(self.host.list_prompts(audience).await),
            ListKind::Resources | ListKind::ResourceTemplates => {
                Listed::Resources(self.host.list_resources(&audience.address, kind).await)
            }
        };
        if let Some(pages) = self.lists.get(audience, kind, self.host.epoch()) {
            return pages;
        }
        let ttl_ms = if self.host.is_complete(kind) { ttl_ms } else { 0 };
        let pages = match listed {
            Listed::Tools(view) => {
                let claims = self.host.uri_claims();
                let item =
                    |tool: &Arc<ToolEntry>| (tool.name().to_owned(), tool_item(tool, &claims));
                let items = view.tools().map(item);
                Pages::new(kind, ttl_ms, items)
            }
            Listed::Prompts(prompts) => {
                let listed = prompts.listed();
                let item = |(name, found): &(&str, &Found)| {
                    ((*name).to_owned(), renamed(&found.definition.raw, "name", name))
                };
                Pages::new(kind, ttl_ms, listed.iter().map(item))
            }
            Listed::Resources(listed) => {
                let key = match kind {
                    ListKind::ResourceTemplates => "uriTemplate",
                    _ => "uri",
                };
                let item = |ListedResource { uri, found }: &ListedResource| {
                    (uri.clone(), renamed(&found.definition.raw, key, uri))
                };
                Pages::new(kind, ttl_ms, listed.iter().map(item))
            }
        };
        let pages = Arc::new(pages);
        // Asking may itself have changed something; then it is written again the next time.
        self.lists.keep(audience, kind, before, &pages);
        pages
    }
}

impl Lists {
    fn get(&self, audience: &Audience, kind: ListKind, epoch: u64) -> Option<Arc<Pages>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = |kept: &&Kept| kept.kind == kind && kept.audience == *audience;
        let kept = all.iter().find(mine).filter(|kept| kept.epoch == epoch)?;
        Some(Arc::clone(&kept.pages))
    }

    fn keep(&self, audience: &Audience, kind: ListKind, epoch: u64, pages: &Arc<Pages>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kept| kept.kind != kind || kept.audience != *audience);
        if all.len() >= KEPT {
            all.remove(0);
        }
        let (audience, pages) = (audience.clone(), Arc::clone(pages));
        all.push(Kept { audience, kind, epoch, pages });
    }
}

/// A tool as it is listed: the server's own definition, under our name and with its origin.
fn tool_item(tool: &ToolEntry, claims: &UriClaims) -> Vec<u8> {
    let mut out = Vec::new();
    let definition = tool.definition();
    let read = definition.and_then(|definition| RawObject::parse(&definition.raw).ok());
    let mut item = read.as_ref().map_or_else(Splice::new, Splice::of);
    item.set("name", Value::text(tool.name()));
    let own_words = definition.and_then(|definition| definition.description.as_deref());
    if own_words.unwrap_or_default() != tool.description() {
        item.set("description", Value::text(tool.description()));
    }
    let parameters = tool.parameters();
    let own_schema = definition.and_then(|definition| definition.input_schema.as_deref());
    if own_schema.is_none_or(|schema| schema.get() != parameters.get()) {
        item.set("inputSchema", Value::Raw(parameters));
    }
    if let (Some(read), Some(server)) = (&read, tool.server()) {
        for path in PAGE_MEMBERS {
            readdress(&mut item, read, path, |uri| claims.public_uri(server, uri).into_owned());
        }
    }
    item.write(&mut out);
    out
}

/// Where the URI of a page stands at this path of `_meta`, it becomes one that leads to the page of the
/// tool's own server.
fn readdress<'a>(
    item: &mut Splice<'a>,
    read: &'a RawObject<'a>,
    path: &'static [&'static str],
    public: impl Fn(&str) -> String,
) {
    let Some((last, above)) = path.split_last() else { return };
    let Some(raw) = read.get(meta::META) else { return };
    let mut object = RawObject::parse(raw).ok();
    for key in above {
        let inner = object.as_ref().and_then(|object| object.get(key));
        object = inner.and_then(|raw| RawObject::parse(raw).ok());
    }
    let Some(uri) = object.as_ref().and_then(|object| object.text(last)) else { return };
    let address = public(&uri);
    if address == *uri {
        return;
    }
    let mut at = item.within(meta::META);
    for key in above {
        at = at.and_then(|object| object.within(key));
    }
    if let Ok(object) = at {
        object.set(*last, Value::text(address));
    }
}

/// The same thing under another name or URI.
fn renamed(raw: &RawValue, key: &'static str, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    match RawObject::parse(raw) {
        Ok(read) if read.text(key).as_deref() != Some(name) => {
            let mut item = Splice::of(&read);
            item.set(key, Value::text(name));
            item.write(&mut out);
        }
        _ => out.extend_from_slice(raw.get().as_bytes()),
    }
    out
}
