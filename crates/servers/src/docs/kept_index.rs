//! The index as it is kept between questions: made when it is first asked for, brought up to date page by
//! page, and let go when nobody asks any more.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::ServedDocs;
use super::page_index::{FoundSection, PageIndex};
use super::page_walk::{PageMark, text_of};
use super::sections::sections;
use crate::repo::RepoRefusal;
use crate::repo::bounds::StopSignal;

#[derive(Debug)]
pub(super) struct KeptIndex {
    index: PageIndex,
    pages: Vec<KeptPage>,
    by_path: HashMap<String, u32>,
    /// When the folder was last looked at, and whether all of it was seen.
    looked_at: Instant,
    is_whole: bool,
    unopened: Vec<String>,
    used_at: Instant,
    /// Somebody waits to let it go.
    is_watched: bool,
    /// Counts the looks: a page that the last one did not meet is gone.
    look: u64,
}

#[derive(Debug)]
struct KeptPage {
    path: String,
    mark: PageMark,
    sections: Range<u32>,
    seen_in: u64,
    is_there: bool,
}

/// What a question found.
pub(super) struct FoundPages {
    pub(super) sections: Vec<(String, FoundSection)>,
    pub(super) pages: usize,
    /// Whether everything was looked through.
    pub(super) is_whole: bool,
    /// Folders that could not be looked through.
    pub(super) unopened: Vec<String>,
}

impl ServedDocs {
    pub(super) fn find_sections(
        &self,
        query: &str,
        most: usize,
        stop: &StopSignal,
    ) -> Result<FoundPages, RepoRefusal> {
        // Held while the index is made: whoever asks meanwhile waits for the same.
        let mut kept = self.index.lock();
        let is_believed = kept
            .as_ref()
            .is_some_and(|kept| kept.is_whole && kept.looked_at.elapsed() < self.bounds.believed);
        if !is_believed {
            if kept.as_ref().is_some_and(|kept| kept.index.is_stale()) {
                *kept = None;
            }
            let index = kept.get_or_insert_with(KeptIndex::new);
            index.look(self, stop)?;
        }
        let Some(index) = kept.as_mut() else { return Err(RepoRefusal::Stopped) };
        index.used_at = Instant::now();
        let path = |found: FoundSection| {
            let page = index.pages.get(found.page as usize);
            page.map(|page| (page.path.clone(), found))
        };
        let sections = index.index.find(query, most).into_iter().filter_map(path).collect();
        let pages = index.pages.iter().filter(|page| page.is_there).count();
        let (is_whole, unopened) = (index.is_whole, index.unopened.clone());
        Ok(FoundPages { sections, pages, is_whole, unopened })
    }
}

impl KeptIndex {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            index: PageIndex::default(),
            pages: Vec::new(),
            by_path: HashMap::new(),
            looked_at: now,
            is_whole: false,
            unopened: Vec::new(),
            used_at: now,
            is_watched: false,
            look: 0,
        }
    }

    /// Reads what is new or changed, and forgets what is gone.
    fn look(&mut self, place: &ServedDocs, stop: &StopSignal) -> Result<(), RepoRefusal> {
        self.look += 1;
        let bounds = &place.bounds;
        let (mut count, mut bytes) = (0, 0_u64);
        let walked = place.pages(stop, &mut |seen, entry| {
            count += 1;
            bytes = bytes.saturating_add(seen.mark.size);
            if count > bounds.pages || bytes > bounds.all_bytes {
                return false;
            }
            let known = self.by_path.get(&seen.path).copied();
            if let Some(page) = known.and_then(|known| self.pages.get_mut(known as usize)) {
                page.seen_in = self.look;
                if page.is_there && page.mark == seen.mark {
                    return true;
                }
                self.index.remove(page.sections.clone());
            }
            let number = known.unwrap_or(u32::try_from(self.pages.len()).unwrap_or(u32::MAX));
            let text = text_of(entry, bounds.page_bytes);
            let sections = match &text {
                Some(text) => {
                    let parts = sections(seen.kind, text);
                    self.index.add((number, &seen.path), text, parts)
                }
                None => 0..0,
            };
            let is_there = text.is_some();
            let page = KeptPage {
                path: seen.path.clone(),
                mark: seen.mark,
                sections,
                seen_in: self.look,
                is_there,
            };
            match known.and_then(|known| self.pages.get_mut(known as usize)) {
                Some(old) => *old = page,
                None => {
                    self.by_path.insert(seen.path, number);
                    self.pages.push(page);
                }
            }
            true
        })?;
        self.is_whole = walked.limit.is_none();
        self.unopened = walked.unopened;
        if self.is_whole {
            for page in self.pages.iter_mut().filter(|page| page.seen_in != self.look) {
                self.index.remove(std::mem::take(&mut page.sections));
                page.is_there = false;
            }
        }
        self.looked_at = Instant::now();
        Ok(())
    }
}

/// Has somebody wait until nobody asked for a while, unless somebody does already.
pub(super) fn let_go_when_idle(place: &Arc<ServedDocs>) {
    {
        let mut kept = place.index.lock();
        let Some(kept) = kept.as_mut() else { return };
        if std::mem::replace(&mut kept.is_watched, true) {
            return;
        }
    }
    let (idle, place) = (place.bounds.idle, Arc::downgrade(place));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(idle).await;
            if let_go(&place, idle) {
                return;
            }
        }
    });
}

/// Whether there is nothing left to wait for.
fn let_go(place: &Weak<ServedDocs>, idle: std::time::Duration) -> bool {
    let Some(place) = place.upgrade() else { return true };
    let mut kept = place.index.lock();
    let is_idle = kept.as_ref().is_none_or(|kept| kept.used_at.elapsed() >= idle);
    if is_idle {
        *kept = None;
    }
    is_idle
}
