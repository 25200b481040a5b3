//! A catalog as text, to be kept and to answer from before the server runs.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::{Definition, ListKind};

use super::{CatalogListing, KnownInstructions, ServerCatalog};

/// The lists that were known, each item as the server sent it, with the key it goes by.
#[derive(Default, Serialize, Deserialize)]
struct SnapshotLists<'a> {
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<SnapshotItem<'a>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<SnapshotItem<'a>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource_templates: Option<Vec<SnapshotItem<'a>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompts: Option<Vec<SnapshotItem<'a>>>,
    /// What the server said of how to use it, as it was accepted then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SnapshotItem<'a>(#[serde(borrow)] Cow<'a, str>, Box<RawValue>);

impl<'a> SnapshotLists<'a> {
    fn list(&mut self, kind: ListKind) -> &mut Option<Vec<SnapshotItem<'a>>> {
        match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::ResourceTemplates => &mut self.resource_templates,
            ListKind::Prompts => &mut self.prompts,
        }
    }
}

/// Everything complete that is known, as text, and of the rest what was kept before; `None` if it
/// cannot be written.
pub(crate) fn write(
    catalog: &ServerCatalog,
    instructions: &KnownInstructions,
    before: Option<&str>,
) -> Option<String> {
    let mut kept: SnapshotLists<'_> =
        before.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    for kind in ListKind::ALL {
        if let Some(listing) = catalog.known(kind).filter(|listing| listing.is_complete()) {
            let item = |item: &Arc<Definition>| {
                SnapshotItem(Cow::Owned(item.key.to_string()), item.raw.clone())
            };
            *kept.list(kind) = Some(listing.items.iter().map(item).collect());
        }
    }
    if instructions.is_spoken {
        kept.instructions.clone_from(&instructions.words);
    }
    serde_json::to_string(&kept).ok()
}

/// Reads a text back; one that cannot be read is no snapshot.
pub(crate) fn read(text: &str) -> (Vec<(ListKind, CatalogListing)>, Option<String>) {
    let Ok(mut kept) = serde_json::from_str::<SnapshotLists<'_>>(text) else {
        return Default::default();
    };
    let mut lists = Vec::new();
    for kind in ListKind::ALL {
        if let Some(items) = kept.list(kind).take() {
            let define = |SnapshotItem(key, raw)| Arc::new(Definition::new(key, raw));
            let items = items.into_iter().map(define).collect();
            lists.push((
                kind,
                CatalogListing { items, from_snapshot: true, ..CatalogListing::default() },
            ));
        }
    }
    (lists, kept.instructions)
}
