//! A list as it is sent: in pages, each written once for everybody who sees the same.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde_json::value::RawValue;
use toolgate_types::{Era, ListKind};
use toolgate_wire::outcome::RESULT_TYPE as RESULT_TYPE_KEY;
use toolgate_wire::{ObjectSplice, Payload, SpliceValue, meta};

use crate::respond::SERVER_INFO;

/// How many items, and about how many bytes, make a page. Many clients never ask for a second one.
const PAGE_ITEMS: usize = 1000;
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// One list, cut into pages.
#[derive(Debug)]
pub(crate) struct ListPages {
    pages: Vec<WrittenPage>,
}

#[derive(Debug)]
struct WrittenPage {
    /// The key of the item before the first one here; nothing where there is none.
    after: Option<String>,
    member: &'static str,
    items: Vec<u8>,
    next: Option<String>,
    /// How long it holds.
    ttl_ms: u64,
    legacy: OnceLock<Bytes>,
    modern: OnceLock<Bytes>,
}

impl ListPages {
    /// How long it holds.
    pub(super) fn ttl_ms(&self) -> u64 {
        self.pages.first().map_or(0, |page| page.ttl_ms)
    }

    /// From items with their keys, sorted by key.
    pub(crate) fn new(
        kind: ListKind,
        ttl_ms: u64,
        items: impl Iterator<Item = (String, Vec<u8>)>,
    ) -> Self {
        let mut pages = vec![WrittenPage::new(kind, ttl_ms, None)];
        let (mut count, mut last) = (0, None::<String>);
        for (key, item) in items {
            let mut page = pages.len() - 1;
            let is_full = count >= PAGE_ITEMS || pages[page].items.len() + item.len() > PAGE_BYTES;
            if is_full && count > 0 {
                pages[page].next = last.as_deref().map(cursor);
                pages.push(WrittenPage::new(kind, ttl_ms, last.take()));
                (count, page) = (0, page + 1);
            }
            if count > 0 {
                pages[page].items.push(b',');
            }
            pages[page].items.extend_from_slice(&item);
            count += 1;
            last = Some(key);
        }
        Self { pages }
    }

    /// The page that a cursor leads to, as a whole result. A cursor that was never given out leads
    /// nowhere; one whose item is gone leads to what follows it.
    pub(crate) fn result(&self, cursor: Option<&str>, era: Era) -> Option<Bytes> {
        let page = match cursor {
            None => self.pages.first(),
            Some(cursor) => {
                let after = URL_SAFE_NO_PAD.decode(cursor).ok()?;
                let after = String::from_utf8(after).ok()?;
                let is_it = |page: &&WrittenPage| page.after.as_deref() == Some(after.as_str());
                let exact = self.pages.iter().find(is_it);
                exact.or_else(|| {
                    let starts = self.pages.iter().rev();
                    starts.into_iter().find(|page| page.after.as_deref() <= Some(after.as_str()))
                })
            }
        };
        page.map(|page| page.result(era))
    }
}

impl WrittenPage {
    fn new(kind: ListKind, ttl_ms: u64, after: Option<String>) -> Self {
        let member = match kind {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::ResourceTemplates => "resourceTemplates",
            ListKind::Prompts => "prompts",
        };
        let (items, next) = (Vec::new(), None);
        let (legacy, modern) = (OnceLock::new(), OnceLock::new());
        Self { after, member, items, next, ttl_ms, legacy, modern }
    }

    fn result(&self, era: Era) -> Bytes {
        match era {
            Era::Legacy => self.legacy.get_or_init(|| self.write(era)).clone(),
            Era::Modern => self.modern.get_or_init(|| self.write(era)).clone(),
        }
    }

    fn write(&self, era: Era) -> Bytes {
        let mut result = ObjectSplice::new();
        let mut items = Vec::with_capacity(self.items.len() + 2);
        items.push(b'[');
        items.extend_from_slice(&self.items);
        items.push(b']');
        // Items are JSON by their type, so the list is.
        let items = String::from_utf8(items).ok().and_then(|text| RawValue::from_string(text).ok());
        if let Some(items) = items {
            result.set(self.member, SpliceValue::Owned(items));
        }
        if let Some(next) = &self.next {
            result.set("nextCursor", SpliceValue::text(next));
        }
        if era == Era::Modern {
            let mut own = ObjectSplice::new();
            own.set(meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
            result
                .set(RESULT_TYPE_KEY, SpliceValue::text("complete"))
                .set("ttlMs", SpliceValue::number(self.ttl_ms))
                // What one caller sees is no other's business.
                .set("cacheScope", SpliceValue::text("private"))
                .set(meta::META, SpliceValue::Object(Box::new(own)));
        }
        let mut out = Vec::new();
        result.write(&mut out);
        out.into()
    }
}

fn cursor(key: &str) -> String {
    URL_SAFE_NO_PAD.encode(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: usize) -> ListPages {
        let item =
            |number: usize| (format!("k{number:05}"), format!("{{\"n\":{number}}}").into_bytes());
        ListPages::new(ListKind::Tools, 5, (0..count).map(item))
    }

    fn read(bytes: &Bytes) -> (usize, Option<String>) {
        let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        let next = value.get("nextCursor").map(|next| next.as_str().unwrap().to_owned());
        (value["tools"].as_array().unwrap().len(), next)
    }

    #[test]
    fn all_pages_together_hold_every_item_once() {
        for count in [0, 1, PAGE_ITEMS, PAGE_ITEMS + 1, 2 * PAGE_ITEMS + 7] {
            let pages = pages(count);
            let (mut seen, mut cursor) = (0, None);
            loop {
                let page = pages.result(cursor.as_deref(), Era::Modern).unwrap();
                let (items, next) = read(&page);
                seen += items;
                cursor = next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, count);
        }
    }

    #[test]
    fn a_cursor_that_was_never_given_out_leads_nowhere() {
        for odd in ["?", "not base64!", "\u{0}"] {
            assert!(pages(3).result(Some(odd), Era::Legacy).is_none(), "{odd}");
        }
    }

    #[test]
    fn only_the_modern_era_is_told_how_long_a_list_holds() {
        let text = |era| String::from_utf8(pages(1).result(None, era).unwrap().to_vec()).unwrap();
        assert_eq!(text(Era::Legacy), r#"{"tools":[{"n":0}]}"#);
        assert!(text(Era::Modern).contains(r#""ttlMs":5,"cacheScope":"private""#));
    }
}
