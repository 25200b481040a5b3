//! The four lists, written once for each audience and state of the servers.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_host::{
    Audience, CatalogItem, ListWait, ListedResource, SessionDefaults, ToolEntry, ToolView,
    UriClaims,
};
use toolgate_types::{Definition, ListKind};
use toolgate_wire::{ObjectSplice, Payload, RawObject, SpliceValue, meta};

use super::page::{ListPages, PageItems};
use crate::app_pages::AppPages;
use crate::served::ServedHost;

/// The tools that an audience sees, as they are listed.
struct ToolItems {
    view: Arc<ToolView>,
    claims: Arc<UriClaims>,
}

impl PageItems for ToolItems {
    fn count(&self) -> usize {
        self.view.tools().len()
    }

    fn key(&self, place: usize) -> &str {
        self.view.listed_name(place).unwrap_or_default()
    }

    fn write(&self, place: usize, out: &mut Vec<u8>) {
        let Some(tool) = self.view.listed_tool(place) else { return };
        let pages = AppPages { claims: &self.claims, view: &self.view };
        let shared = tool.written(|| {
            is_same_for_all(tool).then(|| {
                let mut written = Vec::new();
                write_tool(tool, pages, &mut written);
                written
            })
        });
        match shared {
            Some(written) => out.extend_from_slice(written),
            None => write_tool(tool, pages, out),
        }
    }
}

/// Whether a tool is written the same for every audience that knows it by this name: it refers to no page,
/// which not everybody may read, and does not go by a session.
fn is_same_for_all(tool: &ToolEntry) -> bool {
    let has_pages = |definition: &Arc<Definition>| AppPages::may_be_in_tool(&definition.raw);
    tool.definition().is_some_and(|one| !has_pages(one)) && tool.session_defaults().is_none()
}

/// Prompts, resources or templates, each under the name or URI that is listed.
struct NamedItems {
    /// The member in which that stands.
    member: &'static str,
    items: Vec<(String, Arc<Definition>)>,
}

impl PageItems for NamedItems {
    fn count(&self) -> usize {
        self.items.len()
    }

    fn key(&self, place: usize) -> &str {
        &self.items[place].0
    }

    fn write(&self, place: usize, out: &mut Vec<u8>) {
        let (name, definition) = &self.items[place];
        write_renamed(&definition.raw, self.member, name, out);
    }
}

/// A list, and what is to be known of it.
pub(crate) struct ListedPages {
    pub(crate) pages: Arc<ListPages>,
    pub(crate) ttl_ms: u64,
    /// The state of the servers that it shows.
    pub(crate) epoch: u64,
}

impl ServedHost {
    /// A list as this audience sees it, how long it holds, and the state of the servers that it shows.
    pub(crate) async fn list(
        &self,
        audience: &Audience,
        kind: ListKind,
        ttl_ms: u64,
        wait: ListWait,
    ) -> ListedPages {
        // Whatever has to be asked is asked each time: a list that is too old is not what was written.
        self.host.await_list_at(&audience.address, kind, wait).await;
        // Read before the lists, so that a change in between is seen the next time.
        let epoch = self.host.epoch();
        let ttl_ms = self.ttl_ms(audience, kind, ttl_ms);
        if let Some(pages) = self.lists.get(audience, kind, epoch) {
            return ListedPages { pages, ttl_ms, epoch };
        }
        let items: Box<dyn PageItems> = match kind {
            ListKind::Tools => {
                let (view, claims) = (self.host.show(audience), self.host.uri_claims());
                Box::new(ToolItems { view, claims })
            }
            ListKind::Prompts => {
                let prompts = self.host.known_prompts(audience);
                let item = |(name, found): (&str, &CatalogItem)| {
                    (name.to_owned(), Arc::clone(&found.definition))
                };
                let items = prompts.listed().into_iter().map(item).collect();
                Box::new(NamedItems { member: "name", items })
            }
            ListKind::Resources | ListKind::ResourceTemplates => {
                let listed = self.host.known_resources(&audience.address, kind);
                let item = |ListedResource { uri, found }| (uri, found.definition);
                let items = listed.into_iter().map(item).collect();
                let is_template = kind == ListKind::ResourceTemplates;
                let member = if is_template { "uriTemplate" } else { "uri" };
                Box::new(NamedItems { member, items })
            }
        };
        let pages = Arc::new(ListPages::new(kind, items));
        self.lists.keep(audience, kind, epoch, &pages);
        ListedPages { pages, ttl_ms, epoch }
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
fn write_tool(tool: &ToolEntry, pages: AppPages<'_>, out: &mut Vec<u8>) {
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
    item.write(out);
}

/// The same thing under another name or URI.
fn write_renamed(raw: &RawValue, key: &'static str, name: &str, out: &mut Vec<u8>) {
    match RawObject::parse(raw) {
        Ok(read) if read.text(key).as_deref() != Some(name) => {
            let mut item = ObjectSplice::of(&read);
            item.set(key, SpliceValue::text(name));
            item.write(out);
        }
        _ => out.extend_from_slice(raw.get().as_bytes()),
    }
}
