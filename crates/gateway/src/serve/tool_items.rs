//! The tools that an audience sees, as they are listed, each written once for all who see the same.
//!
//! Whoever arrives is about to list, so the first page is written meanwhile. Who asks is sent that only where
//! the list is the very same then, so what changes in between is seen as ever.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::value::to_raw_value;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use toolgate_host::{Audience, Host, SessionDefaults, ToolEntry, ToolView, UriClaims};
use toolgate_types::{Definition, ListKind};
use toolgate_wire::{ObjectSplice, Payload, RawObject, SpliceValue, meta};

use super::page::{ListPages, PAGE_ITEMS, PageItems};
use crate::app_pages::AppPages;
use crate::served::ServedHost;

/// From so many tools on another thread helps to write them: fewer are written before it has begun.
const WORTH_ANOTHER: usize = 200;

/// A first answer is not held back for longer. Thousands of tools take a third of it.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// About so much is added to a definition: the name in front of its own, and where it comes from.
const AROUND: usize = 128;

/// The tools that an audience sees.
pub(super) struct ToolItems {
    view: Arc<ToolView>,
    host: Host,
    /// Nearly no tool refers to a page.
    claims: OnceLock<Arc<UriClaims>>,
}

impl ToolItems {
    pub(super) fn new(host: &Host, view: Arc<ToolView>) -> Self {
        Self { view, host: host.clone(), claims: OnceLock::new() }
    }
}

impl PageItems for ToolItems {
    fn count(&self) -> usize {
        self.view.tools().len()
    }

    fn key(&self, place: usize) -> &str {
        self.view.listed_name(place).unwrap_or_default()
    }

    /// Written now where nobody did.
    fn shared(&self, place: usize) -> Option<&[u8]> {
        if let Some(written) = self.view.listed_written(place) {
            return Some(written);
        }
        let tool = self.view.listed_tool(place)?;
        tool.written(|| {
            is_same_for_all(tool).then(|| {
                // As long as it will be, as far as that is known.
                let own = tool.definition().map_or(0, |definition| definition.raw.get().len());
                let mut written = Vec::with_capacity(own + AROUND);
                write_tool(tool, None, &mut written);
                written
            })
        })
    }

    fn write(&self, place: usize, out: &mut Vec<u8>) {
        let Some(tool) = self.view.listed_tool(place) else { return };
        let pages = tool.server().map(|_| {
            let claims = self.claims.get_or_init(|| self.host.uri_claims());
            AppPages { claims, view: &self.view }
        });
        write_tool(tool, pages, out);
    }
}

impl ServedHost {
    /// Somebody is here who sees this, and was not here before: the list is worked out before it is asked
    /// for, of what is known. The first answer waits until that is done: whoever lists next would wait as long
    /// for its list otherwise. Where it is under way for somebody else, nobody waits here.
    pub(crate) async fn write_ahead(self: &Arc<Self>, audience: &Audience) {
        let Ok(working) = Arc::clone(&self.ahead).try_lock_owned() else { return };
        let (served, audience) = (Arc::clone(self), audience.clone());
        // Others are served on this thread too.
        let writing = spawn_blocking(move || {
            if let Some(view) = served.host.view_ahead(&audience) {
                let items = Arc::new(ToolItems::new(&served.host, Arc::clone(&view)));
                write_first_page(&items);
                let pages = Arc::new(ListPages::new(ListKind::Tools, items));
                pages.page(None);
                served.lists.keep_ahead(view, pages);
            }
            drop(working);
        });
        let _ = timeout(LONGEST_WAIT, writing).await;
    }
}

/// Writes what is the same for all, from both ends where that is much: the first client of a gate waits for it.
fn write_first_page(items: &Arc<ToolItems>) {
    let count = items.count().min(PAGE_ITEMS);
    if count >= WORTH_ANOTHER {
        let items = Arc::clone(items);
        spawn_blocking(move || write_each(&items, (0..count).rev()));
    }
    write_each(items, 0..count);
}

/// What somebody else wrote is passed over.
fn write_each(items: &ToolItems, places: impl Iterator<Item = usize>) {
    for place in places {
        items.shared(place);
    }
}

/// Whether a tool is written the same for every audience that knows it by this name: it refers to no page,
/// which not everybody may read, and does not go by a session.
fn is_same_for_all(tool: &ToolEntry) -> bool {
    let has_pages = |definition: &Arc<Definition>| AppPages::may_be_in_tool(&definition.raw);
    tool.definition().is_some_and(|one| !has_pages(one)) && tool.session_defaults().is_none()
}

/// A tool as it is listed: the server's own definition, under our name and with its origin. Without pages
/// where it refers to none.
fn write_tool(tool: &ToolEntry, pages: Option<AppPages<'_>>, out: &mut Vec<u8>) {
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
    if let (Some(pages), Some(read), Some(server)) = (pages, &read, tool.server()) {
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
