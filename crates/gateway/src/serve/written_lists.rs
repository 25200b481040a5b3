//! The lists that were written, each with the state that it is of.

use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_host::Audience;
use toolgate_types::ListKind;

use super::page::ListPages;

/// How many lists of audiences that come and go are kept.
const KEPT: usize = 64;

/// The lists that were written, each with the state that it is of.
#[derive(Default)]
pub(crate) struct WrittenLists(Mutex<Vec<WrittenList>>);

struct WrittenList {
    audience: Audience,
    kind: ListKind,
    epoch: u64,
    pages: Arc<ListPages>,
}

impl WrittenLists {
    pub(super) fn get(
        &self,
        audience: &Audience,
        kind: ListKind,
        epoch: u64,
    ) -> Option<Arc<ListPages>> {
        let all = self.0.lock();
        let mine = |kept: &&WrittenList| kept.kind == kind && kept.audience == *audience;
        let kept = all.iter().find(mine).filter(|kept| kept.epoch == epoch)?;
        Some(Arc::clone(&kept.pages))
    }

    pub(super) fn keep(
        &self,
        audience: &Audience,
        kind: ListKind,
        epoch: u64,
        pages: &Arc<ListPages>,
    ) {
        let mut all = self.0.lock();
        all.retain(|kept| kept.kind != kind || kept.audience != *audience);
        if all.len() >= KEPT {
            all.remove(0);
        }
        let (audience, pages) = (audience.clone(), Arc::clone(pages));
        all.push(WrittenList { audience, kind, epoch, pages });
    }
}
