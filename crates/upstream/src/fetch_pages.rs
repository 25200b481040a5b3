//! A whole list, page after page, within bounds.

use std::collections::HashSet;

use serde_json::value::RawValue;
use toolgate_types::visible;
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{ListMethod, ListPage, ObjectSplice, SpliceValue};

use crate::connection::{NOTHING_MIRRORED, SentRequest, UpstreamConnection};
use crate::failure::RequestError;
use crate::patience::RequestPatience;

/// How much of a list is taken from a server.
#[derive(Debug, Clone, Copy)]
pub struct PageLimits {
    pub pages: usize,
    pub items: usize,
    pub cursor_bytes: usize,
    /// All definitions together.
    pub bytes: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self { pages: 100, items: 10_000, cursor_bytes: 64 * 1024, bytes: 32 * 1024 * 1024 }
    }
}

/// A list as the server has it.
#[derive(Debug, Default)]
pub struct FetchedList {
    /// Name, URI or URI template, and the definition as it came.
    pub items: Vec<(String, Box<RawValue>)>,
    /// Why items were left out, each with its place.
    pub set_aside: Vec<String>,
    /// How long the server says it holds.
    pub ttl_ms: Option<u64>,
    /// Why the list was cut off, if it was.
    pub cut: Option<&'static str>,
}

impl UpstreamConnection {
    /// Every page of a list.
    pub async fn list(
        &self,
        kind: ListMethod,
        limits: PageLimits,
    ) -> Result<FetchedList, RequestError> {
        let mut listed = FetchedList::default();
        let mut seen: HashSet<String> = HashSet::new();
        let mut cursor: Option<Box<RawValue>> = None;
        let mut bytes = 0;
        for _ in 0..limits.pages {
            let raw = self.page(kind, cursor.as_deref()).await?;
            let page = ListPage::parse(kind, &raw)
                .map_err(|error| RequestError::Protocol(error.to_string()))?;
            listed.take(&page, &limits, &mut bytes, self.mirrors_parameters(kind));
            if listed.cut.is_some() {
                return Ok(listed);
            }
            // Some servers say "no more" with an empty cursor.
            let Some(next) = page.next_cursor.filter(|next| next.get() != "\"\"") else {
                return Ok(listed);
            };
            if next.get().len() > limits.cursor_bytes {
                listed.cut = Some("a cursor was too long");
                return Ok(listed);
            }
            if !seen.insert(next.get().to_owned()) {
                listed.cut = Some("a cursor came twice");
                return Ok(listed);
            }
            cursor = Some(next.to_owned());
        }
        listed.cut = Some("there were too many pages");
        Ok(listed)
    }

    /// A tool whose parameters cannot be mirrored into headers as it wants cannot be called so.
    fn mirrors_parameters(&self, kind: ListMethod) -> bool {
        kind == ListMethod::Tools && self.is_modern_with_headers()
    }

    async fn page(
        &self,
        kind: ListMethod,
        cursor: Option<&RawValue>,
    ) -> Result<Box<RawValue>, RequestError> {
        let mut params = ObjectSplice::new();
        if let Some(cursor) = cursor {
            params.set("cursor", SpliceValue::Raw(cursor));
        }
        let timeout = self.request_timeout();
        let sent = SentRequest {
            method: kind.method(),
            params: &params,
            patience: RequestPatience::Limited { timeout, ceiling: timeout },
            annotated: &NOTHING_MIRRORED,
            called: None,
            attendant: None,
            pending: None,
        };
        self.reply(sent, None).await?.into_list()
    }
}

impl FetchedList {
    fn take(&mut self, page: &ListPage<'_>, limits: &PageLimits, bytes: &mut usize, mirrors: bool) {
        self.ttl_ms = match (self.ttl_ms, page.ttl_ms) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        for odd in &page.set_aside {
            if self.set_aside.len() == limits.items {
                self.cut = Some("there were too many items");
                return;
            }
            self.set_aside.push(format!("item {}: {}", odd.index, odd.reason));
        }
        for item in &page.items {
            if self.items.len() == limits.items {
                self.cut = Some("there were too many items");
                return;
            }
            *bytes += item.raw().get().len();
            if *bytes > limits.bytes {
                self.cut = Some("the list is too large");
                return;
            }
            if mirrors
                && let Some(schema) = item.object.get_some("inputSchema")
                && let Err(error) = ParamHeaders::from_schema(schema)
            {
                self.set_aside.push(format!("{}: {error}", visible(&item.key)));
                continue;
            }
            self.items.push((item.key.clone().into_owned(), item.raw().to_owned()));
        }
    }
}
