//! The four lists, written once for each audience and state of the servers.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_host::{
    Audience, CatalogItem, ListWait, ListedPrompts, ListedResource, SessionDefaults, ToolEntry,
    ToolView,
};
use toolgate_types::ListKind;
use toolgate_wire::{ObjectSplice, Payload, RawObject, SpliceValue, meta};

use super::page::ListPages;
use crate::app_pages::AppPages;
use crate::served::ServedHost;

/// What a list is written from.
enum ListSource {
    Tools(Arc<ToolView>),
    Prompts(ListedPrompts),
    Resources(Vec<ListedResource>),
}

impl ServedHost {
    /// A list as this audience sees it, with the state of the servers that it shows.
    pub(crate) async fn list(
        &self,
        audience: &Audience,
        kind: ListKind,
        ttl_ms: u64,
        wait: ListWait,
    ) -> (Arc<ListPages>, u64) {
        // Whatever has to be asked is asked each time: a list that is too old is not what was written.
        self.host.await_list_at(&audience.address, kind, wait).await;
        // Read before the lists, so that a change in between is seen the next time.
        let epoch = self.host.epoch();
        let ttl_ms = self.ttl_ms(audience, kind, ttl_ms);
        let written = self.lists.get(audience, kind, epoch);
        if let Some(pages) = written.filter(|pages| pages.ttl_ms() == ttl_ms) {
            return (pages, epoch);
        }
        let listed = match kind {
            ListKind::Tools => ListSource::Tools(self.host.show(audience)),
            ListKind::Prompts => ListSource::Prompts(self.host.known_prompts(audience)),
            ListKind::Resources | ListKind::ResourceTemplates => {
                ListSource::Resources(self.host.known_resources(&audience.address, kind))
            }
        };
        let pages = match listed {
            ListSource::Tools(view) => {
                let claims = self.host.uri_claims();
                let pages = AppPages { claims: &claims, view: &view };
                let item = |tool: &Arc<ToolEntry>| (tool.name().to_owned(), tool_item(tool, pages));
                let items = view.tools().map(item);
                ListPages::new(kind, ttl_ms, items)
            }
            ListSource::Prompts(prompts) => {
                let listed = prompts.listed();
                let item = |(name, found): &(&str, &CatalogItem)| {
                    ((*name).to_owned(), renamed(&found.definition.raw, "name", name))
                };
                ListPages::new(kind, ttl_ms, listed.iter().map(item))
            }
            ListSource::Resources(listed) => {
                let key = match kind {
                    ListKind::ResourceTemplates => "uriTemplate",
                    _ => "uri",
                };
                let item = |ListedResource { uri, found }: &ListedResource| {
                    (uri.clone(), renamed(&found.definition.raw, key, uri))
                };
                ListPages::new(kind, ttl_ms, listed.iter().map(item))
            }
        };
        let pages = Arc::new(pages);
        self.lists.keep(audience, kind, epoch, &pages);
        (pages, epoch)
    }

    /// How long a list holds: no longer than the shortest of its servers', and not at all while one is
    /// missing in it.
    fn ttl_ms(&self, audience: &Audience, kind: ListKind, at_most: u64) -> u64 {
        if !self.host.is_complete(&audience.address, kind) {
            return 0;
        }
        let shortest = self.host.list_ttl(&audience.address, kind);
        let shortest = shortest.and_then(|ttl| u64::try_from(ttl.as_millis()).ok());
        shortest.map_or(at_most, |shortest| shortest.min(at_most))
    }
}

/// A tool as it is listed: the server's own definition, under our name and with its origin.
fn tool_item(tool: &ToolEntry, pages: AppPages<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let definition = tool.definition();
    let read = definition.and_then(|definition| RawObject::parse(&definition.raw).ok());
    let mut item = read.as_ref().map_or_else(ObjectSplice::new, ObjectSplice::of);
    item.set("name", SpliceValue::text(tool.name()));
    let own_words = definition.and_then(|definition| definition.description.as_deref());
    if own_words.unwrap_or_default() != tool.description() {
        item.set("description", SpliceValue::text(tool.description()));
    }
    let parameters = tool.parameters();
    let own_schema = definition.and_then(|definition| definition.input_schema.as_deref());
    if own_schema.is_none_or(|schema| schema.get() != parameters.get()) {
        item.set("inputSchema", SpliceValue::Raw(parameters));
    }
    if let Some(annotations) = tool.own_annotations() {
        item.set("annotations", SpliceValue::Raw(annotations));
    }
    if !tool.lists_output_schema() {
        item.remove("outputSchema");
    }
    if let (Some(read), Some(server)) = (&read, tool.server()) {
        pages.rewrite(&mut item, read, server);
    }
    let defaults = tool.session_defaults().and_then(|defaults| to_raw_value(&defaults).ok());
    // Only then: asking for the member makes it.
    if let Some(defaults) = defaults
        && let Ok(own) = item.within(meta::META)
    {
        own.set(SessionDefaults::KEY, SpliceValue::Owned(defaults));
    }
    item.write(&mut out);
    out
}

/// The same thing under another name or URI.
fn renamed(raw: &RawValue, key: &'static str, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    match RawObject::parse(raw) {
        Ok(read) if read.text(key).as_deref() != Some(name) => {
            let mut item = ObjectSplice::of(&read);
            item.set(key, SpliceValue::text(name));
            item.write(&mut out);
        }
        _ => out.extend_from_slice(raw.get().as_bytes()),
    }
    out
}
