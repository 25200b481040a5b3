//! A list as it is sent: in pages, each written when somebody first asks for it, once for everybody who
//! sees the same. What is written the same for everybody is not copied into the pages of those who see it:
//! each page only knows where it stands.
//!
//! A cursor names the item that a page begins after. So a list that changes between two pages goes on
//! where its reader was: nothing that was there all the time is left out, or told twice.

mod answer;

use std::cell::Cell;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use toolgate_types::{Era, ListKind};
use toolgate_wire::outcome::RESULT_TYPE as RESULT_TYPE_KEY;
use toolgate_wire::{MessageId, ObjectSplice, Payload, SpliceValue, meta, write_result};

pub(crate) use self::answer::ListPageAnswer;
use self::answer::PagePart;
use crate::respond::SERVER_INFO;

/// How many items, and about how many bytes, make a page. Many clients never ask for a second one.
pub(super) const PAGE_ITEMS: usize = 1000;
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// What a list is written from: items by their place, sorted by keys of which no two are the same.
pub(super) trait PageItems: Send + Sync {
    fn count(&self) -> usize;
    fn key(&self, place: usize) -> &str;
    /// One as JSON, where that is kept for all who are shown it.
    fn shared(&self, _place: usize) -> Option<&[u8]> {
        None
    }
    /// Writes one as JSON.
    fn write(&self, place: usize, out: &mut Vec<u8>);
}

/// One list, cut into pages.
pub(crate) struct ListPages {
    kind: ListKind,
    items: Arc<dyn PageItems>,
    /// Those that lead from the first one on. Whoever makes up a cursor is answered, and nothing is kept
    /// of it.
    written: Mutex<Vec<Arc<WrittenPage>>>,
}

/// What stands in one page.
pub(crate) struct WrittenPage {
    member: &'static str,
    items: Arc<dyn PageItems>,
    /// The places of its items.
    start: usize,
    end: usize,
    /// Those that are written for this page alone, by their places.
    own: Vec<(usize, Box<[u8]>)>,
    /// Of all of them, with the commas between them.
    bytes: usize,
    next: Option<String>,
}

impl ListPages {
    pub(super) fn new(kind: ListKind, items: Arc<dyn PageItems>) -> Self {
        Self { kind, items, written: Mutex::default() }
    }

    /// The page that a cursor leads to. What cannot be a cursor leads nowhere; one whose item is gone
    /// leads to what follows it.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Option<Arc<WrittenPage>> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let after = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
                self.first_after(&after)
            }
        };
        let mut written = self.written.lock();
        if let Some(page) = written.iter().find(|page| page.start == start) {
            return Some(Arc::clone(page));
        }
        if start > 0 && !written.iter().any(|page| page.end == start) {
            drop(written);
            return Some(Arc::new(self.write(start)));
        }
        let page = Arc::new(self.write(start));
        written.push(Arc::clone(&page));
        Some(page)
    }

    /// The place of the first item whose key comes after this one.
    fn first_after(&self, key: &str) -> usize {
        let (mut from, mut to) = (0, self.items.count());
        while from < to {
            let middle = from + (to - from) / 2;
            match self.items.key(middle) <= key {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        from
    }

    fn write(&self, start: usize) -> WrittenPage {
        let count = self.items.count();
        let (mut own, mut bytes, mut end) = (Vec::new(), 0, start);
        while end < count && end - start < PAGE_ITEMS {
            let (written, of_own) = match self.items.shared(end) {
                Some(shared) => (shared.len(), None),
                None => {
                    let mut item = Vec::new();
                    self.items.write(end, &mut item);
                    (item.len(), Some(item.into_boxed_slice()))
                }
            };
            let with_it = bytes + written + usize::from(end > start);
            if with_it > PAGE_BYTES && end > start {
                break;
            }
            own.extend(of_own.map(|item| (end, item)));
            (bytes, end) = (with_it, end + 1);
        }
        let last = end.checked_sub(1).filter(|_| end < count);
        let next = last.map(|last| URL_SAFE_NO_PAD.encode(self.items.key(last)));
        let (member, items) = (member(self.kind), Arc::clone(&self.items));
        WrittenPage { member, items, start, end, own, bytes, next }
    }
}

impl WrittenPage {
    /// Writes the items from a place on, until so many bytes are there or all of them; where it ended.
    fn write_items(&self, from: usize, out: &mut Vec<u8>, until: usize) -> usize {
        let first_own = self.own.partition_point(|(place, _)| *place < from);
        let mut own = self.own[first_own..].iter().peekable();
        let mut place = from;
        while place < self.end && out.len() < until {
            if place > self.start {
                out.push(b',');
            }
            match own.next_if(|(of, _)| *of == place) {
                Some((_, item)) => out.extend_from_slice(item),
                // What was shared once is for as long as the list is there.
                None => out.extend_from_slice(self.items.shared(place).unwrap_or_default()),
            }
            place += 1;
        }
        place
    }

    /// As the result of a request; `ttl_ms` is how long it holds.
    pub(crate) fn answer(
        self: Arc<Self>,
        id: MessageId<'_>,
        era: Era,
        ttl_ms: u64,
    ) -> ListPageAnswer {
        let around = AroundItems { page: &self, era, ttl_ms, items_at: Cell::new(0) };
        let mut frame = Vec::new();
        write_result(&mut frame, id, &around);
        let items_at = around.items_at.get();
        ListPageAnswer { frame, items_at, next: PagePart::Head, page: self }
    }
}

/// What stands around the items of a page.
struct AroundItems<'a> {
    page: &'a WrittenPage,
    era: Era,
    ttl_ms: u64,
    /// Where in the message the items belong.
    items_at: Cell<usize>,
}

impl Payload for AroundItems<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let mut rest = ObjectSplice::new();
        if let Some(next) = &self.page.next {
            rest.set("nextCursor", SpliceValue::text(next));
        }
        if self.era == Era::Modern {
            let mut own = ObjectSplice::new();
            own.set(meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
            rest.set(RESULT_TYPE_KEY, SpliceValue::text("complete"))
                .set("ttlMs", SpliceValue::number(self.ttl_ms))
                // What one caller sees is no other's business.
                .set("cacheScope", SpliceValue::text("private"))
                .set(meta::META, SpliceValue::Object(Box::new(own)));
        }
        // A list of thousands is not read again, as everything is that goes into a splice: its items
        // are JSON by their types, so this is.
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(self.page.member.as_bytes());
        out.extend_from_slice(b"\":[");
        self.items_at.set(out.len());
        out.push(b']');
        let after = out.len();
        rest.write(out);
        match out.len() > after + b"{}".len() {
            true => out[after] = b',',
            false => {
                out.truncate(after);
                out.push(b'}');
            }
        }
    }
}

fn member(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Tools => "tools",
        ListKind::Resources => "resources",
        ListKind::ResourceTemplates => "resourceTemplates",
        ListKind::Prompts => "prompts",
    }
}

#[cfg(test)]
mod tests;
