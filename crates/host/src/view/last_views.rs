//! The last view of each audience, with the state of the catalogs it was made from.

use std::sync::Arc;

use super::ToolView;
use crate::Audience;

/// How many views are kept of callers that say themselves what they see less or otherwise.
const KEPT_OF_SESSIONS: usize = 32;

/// The last view of each audience.
#[derive(Debug, Default)]
pub(crate) struct LastViews(Vec<LastView>);

#[derive(Debug)]
struct LastView {
    audience: Audience,
    at: u64,
    view: Arc<ToolView>,
    /// Whether anybody asked, and it was not only worked out ahead.
    is_asked: bool,
}

impl LastViews {
    /// Those that ever asked.
    pub(crate) fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.0.iter().filter(|one| one.is_asked).map(|one| &one.audience)
    }

    /// The view of an audience that asks now, and the state that it is of.
    pub(crate) fn asked(&mut self, audience: &Audience) -> Option<(u64, Arc<ToolView>)> {
        let mine = self.0.iter_mut().find(|one| one.audience == *audience)?;
        mine.is_asked = true;
        Some((mine.at, Arc::clone(&mine.view)))
    }

    pub(crate) fn replace(&mut self, audience: &Audience, at: u64, view: &Arc<ToolView>) {
        self.0.retain(|one| one.audience != *audience);
        self.add(audience, at, view, true);
    }

    /// One that nobody asked for yet, or the one of this state that is there already; what somebody asked for
    /// stays.
    pub(crate) fn keep_ahead(
        &mut self,
        audience: &Audience,
        at: u64,
        view: Arc<ToolView>,
    ) -> Arc<ToolView> {
        if let Some(kept) = self.of_state(audience, at) {
            return kept;
        }
        if !self.is_asked(audience) {
            self.0.retain(|one| one.audience != *audience);
            self.add(audience, at, &view, false);
        }
        view
    }

    /// The view of an audience, if it is of this state; it has not asked by that.
    pub(crate) fn of_state(&self, audience: &Audience, at: u64) -> Option<Arc<ToolView>> {
        let mine = self.0.iter().find(|one| one.audience == *audience && one.at == at)?;
        Some(Arc::clone(&mine.view))
    }

    pub(crate) fn is_asked(&self, audience: &Audience) -> bool {
        self.0.iter().any(|one| one.is_asked && one.audience == *audience)
    }

    fn add(&mut self, audience: &Audience, at: u64, view: &Arc<ToolView>, is_asked: bool) {
        // Sessions come and go.
        let of_session = |one: &LastView| one.audience.is_of_its_own();
        if audience.is_of_its_own()
            && self.0.iter().filter(|one| of_session(one)).count() >= KEPT_OF_SESSIONS
            && let Some(oldest) = self.0.iter().position(of_session)
        {
            self.0.remove(oldest);
        }
        let (audience, view) = (audience.clone(), Arc::clone(view));
        self.0.push(LastView { audience, at, view, is_asked });
    }
}
