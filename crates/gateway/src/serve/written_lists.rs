//! The lists that were written, each with the state that it is of.

use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_host::{Audience, ToolView};
use toolgate_types::ListKind;

use super::page::ListPages;
use crate::hub::{NewsListener, ServerNews};

/// How many lists of audiences that come and go are kept.
const KEPT: usize = 64;

/// The lists that were written, each with the state that it is of.
#[derive(Default)]
pub(crate) struct WrittenLists {
    asked: Mutex<Vec<WrittenList>>,
    /// The last one that was written before anybody asked, of what its audience sees.
    ahead: Mutex<Option<(Arc<ToolView>, Arc<ListPages>)>>,
}

struct WrittenList {
    audience: Audience,
    kind: ListKind,
    epoch: u64,
    pages: Arc<ListPages>,
}

impl NewsListener for WrittenLists {
    /// With a list goes all that it was made of, also servers that are gone. That takes as long as making a
    /// new one, and who asks for that is not to wait for it.
    fn hear(&self, news: &ServerNews) {
        if let ServerNews::ListChanged(kind) = news {
            self.forget(*kind);
        }
    }
}

impl WrittenLists {
    pub(super) fn get(
        &self,
        audience: &Audience,
        kind: ListKind,
        epoch: u64,
    ) -> Option<Arc<ListPages>> {
        let all = self.asked.lock();
        let mine = |kept: &&WrittenList| kept.kind == kind && kept.audience == *audience;
        let kept = all.iter().find(mine).filter(|kept| kept.epoch == epoch)?;
        Some(Arc::clone(&kept.pages))
    }

    /// Lets go of what shows a list as it was. Whoever is sent it still has it to its end.
    fn forget(&self, kind: ListKind) {
        let is_meant = |kept: &mut WrittenList| match (kept.kind, kind) {
            // One word is told of both.
            (ListKind::ResourceTemplates, ListKind::Resources) => true,
            (of, kind) => of == kind,
        };
        let gone: Vec<_> = self.asked.lock().extract_if(.., is_meant).collect();
        let ahead = (kind == ListKind::Tools).then(|| self.ahead.lock().take());
        // Not while others look for theirs.
        drop((gone, ahead));
    }

    /// The tools of an audience that did not ask yet.
    pub(super) fn keep_ahead(&self, view: Arc<ToolView>, pages: Arc<ListPages>) {
        let before = self.ahead.lock().replace((view, pages));
        drop(before);
    }

    /// The same for who asks now, where it is of just this.
    pub(super) fn take_ahead(&self, view: &Arc<ToolView>) -> Option<Arc<ListPages>> {
        let is_it = |kept: &mut (Arc<ToolView>, Arc<ListPages>)| Arc::ptr_eq(&kept.0, view);
        let taken = self.ahead.lock().take_if(is_it);
        taken.map(|(_, pages)| pages)
    }

    pub(super) fn keep(
        &self,
        audience: &Audience,
        kind: ListKind,
        epoch: u64,
        pages: &Arc<ListPages>,
    ) {
        let (audience, pages) = (audience.clone(), Arc::clone(pages));
        let mut all = self.asked.lock();
        let known = all.iter().position(|kept| kept.kind == kind && kept.audience == audience);
        let gone = match known {
            Some(place) => Some(all.remove(place)),
            None => (all.len() >= KEPT).then(|| all.remove(0)),
        };
        all.push(WrittenList { audience, kind, epoch, pages });
        drop(all);
        // Not while others look for theirs.
        drop(gone);
    }
}

#[cfg(test)]
mod tests;
