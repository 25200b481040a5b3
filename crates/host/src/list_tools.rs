//! The tools of an audience, asked for.

use std::sync::Arc;

use toolgate_types::config::{Exposure, Naming};
use toolgate_types::{ListFigures, ListKind};

use crate::await_lists::patient;
use crate::named_servers::NamingInputs;
use crate::view::{ToolView, ViewInputs};
use crate::{Audience, Host};

impl Host {
    /// The tools of an audience, for whoever asks once and has time. Servers that were never asked are
    /// asked, and waited for; those that have been are not started for it.
    pub async fn list_tools(&self, audience: &Audience) -> Arc<ToolView> {
        self.await_list_at(&audience.address, ListKind::Tools, patient()).await;
        self.show(audience)
    }

    /// What an audience sees of what is known now, to be shown to it: where it is to be seen by how
    /// long the list is whether tools are listed themselves, that stays as it is now, until the
    /// configuration is another.
    pub fn show(&self, audience: &Audience) -> Arc<ToolView> {
        let view = self.view(audience);
        if let Some(revision) = view.decided_for() {
            let is_early = !self.is_complete(&audience.address, ListKind::Tools);
            let mut decided = self.inner.exposures.lock();
            decided.keep(audience, revision, view.is_folded(), is_early);
        }
        view
    }

    /// What an audience sees of what is known now.
    pub fn view(&self, audience: &Audience) -> Arc<ToolView> {
        // Read before the catalogs, so that a change in between is seen the next time.
        let epoch = self.inner.world.epoch();
        let known = self.inner.views.lock().asked(audience);
        match known {
            Some((at, view)) if at == epoch => view,
            before => {
                let before = before.map(|(_, view)| view);
                let view = Arc::new(self.build_view(audience, before.as_deref()));
                self.inner.views.lock().replace(audience, epoch, &view);
                view
            }
        }
    }

    /// The same for an audience that may ask soon, so that it need not wait then; nothing where it asked
    /// already. Nobody is told of what nobody asked for.
    pub fn view_ahead(&self, audience: &Audience) -> Option<Arc<ToolView>> {
        let is_asked = self.inner.views.lock().is_asked(audience);
        (!is_asked).then(|| self.unasked_view(audience))
    }

    /// What an audience sees, for who wants to know it and is not that audience.
    pub(crate) fn unasked_view(&self, audience: &Audience) -> Arc<ToolView> {
        let epoch = self.inner.world.epoch();
        let known = self.inner.views.lock().of_state(audience, epoch);
        known.unwrap_or_else(|| {
            let view = Arc::new(self.build_view(audience, None));
            self.inner.views.lock().keep_ahead(audience, epoch, view)
        })
    }

    /// What an audience sees, made anew; what it saw before may be of use.
    pub(crate) fn build_view(&self, audience: &Audience, before: Option<&ToolView>) -> ToolView {
        let upstreams = self.inner.servers.all();
        let rulebook = self.rulebook();
        let mut selections = self.inner.selections.lock();
        let (selected, ids) = selections.select(&audience.address, &rulebook, &upstreams);
        drop(selections);
        let depends = audience.exposure == Exposure::Auto && audience.naming != Naming::Bare;
        let decides = selected.as_ref().ok().filter(|_| depends).map(|one| one.revision);
        let decided_for = decides.map(|one| rulebook.listing_revision(one, &upstreams));
        let exposure = rulebook.exposure();
        let folds = |list: &dyn Fn() -> ListFigures| match decided_for {
            Some(revision) => {
                self.inner.exposures.lock().judge(audience, revision, exposure, list())
            }
            None => audience.exposure == Exposure::Meta,
        };
        let schema_bytes = self.schema_bytes();
        let naming = NamingInputs { naming: audience.naming, ids, schema_bytes };
        let servers = self.inner.named.lock().of(&upstreams, &naming);
        let inputs =
            ViewInputs { selected, servers, naming, exposure, decided_for, folds: &folds, before };
        ToolView::build(audience, inputs)
    }

    /// How tools are listed to a client, by the name of its settings, as it is configured now.
    pub fn exposure_for(&self, client: Option<&str>) -> Exposure {
        self.rulebook().exposure().for_client(client)
    }

    /// Nobody is there any more, or yet, who was shown a list. Where one was too long or not before
    /// everything of it was known, that is looked at again for whoever comes.
    pub fn reconsider_exposure(&self) {
        if self.inner.exposures.lock().reopen() {
            self.inner.world.changed();
        }
    }
}
