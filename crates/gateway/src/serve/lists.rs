//! The four lists, written once for each audience and state of the servers.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_host::{Audience, CatalogItem, ListWait, ListedResource};
use toolgate_types::{Definition, ListKind};
use toolgate_wire::{ObjectSplice, Payload, RawObject, SpliceValue};

use super::page::{ListPages, PageItems};
use super::tool_items::ToolItems;
use crate::served::ServedHost;

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
        let pages = self.pages(audience, kind).await;
        self.lists.keep(audience, kind, epoch, &pages);
        ListedPages { pages, ttl_ms, epoch }
    }

    async fn pages(&self, audience: &Audience, kind: ListKind) -> Arc<ListPages> {
        let items: Arc<dyn PageItems> = match kind {
            ListKind::Tools => {
                // What is worked out ahead is not worked out twice.
                drop(self.ahead.lock().await);
                let view = self.host.show(audience);
                if let Some(pages) = self.lists.take_ahead(&view) {
                    return pages;
                }
                Arc::new(ToolItems::new(&self.host, view))
            }
            ListKind::Prompts => {
                let prompts = self.host.known_prompts(audience);
                let item = |(name, found): (&str, &CatalogItem)| {
                    (name.to_owned(), Arc::clone(&found.definition))
                };
                let items = prompts.listed().into_iter().map(item).collect();
                Arc::new(NamedItems { member: "name", items })
            }
            ListKind::Resources | ListKind::ResourceTemplates => {
                let listed = self.host.known_resources(&audience.address, kind);
                let item = |ListedResource { uri, found }| (uri, found.definition);
                let items = listed.into_iter().map(item).collect();
                let is_template = kind == ListKind::ResourceTemplates;
                let member = if is_template { "uriTemplate" } else { "uri" };
                Arc::new(NamedItems { member, items })
            }
        };
        Arc::new(ListPages::new(kind, items))
    }

    /// How long a list holds: no longer than the shortest of its servers', and not at all while one is
    /// missing in it.
    fn ttl_ms(&self, audience: &Audience, kind: ListKind, at_most: u64) -> u64 {
        let shortest = self.host.list_ttl(&audience.address, kind);
        let shortest = shortest.and_then(|ttl| u64::try_from(ttl.as_millis()).ok());
        shortest.map_or(at_most, |shortest| shortest.min(at_most))
    }
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
