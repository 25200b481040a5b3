//! The tools of an audience, asked for.

use std::sync::Arc;

use toolgate_types::ListKind;

use crate::await_lists::patient;
use crate::view::{ToolView, ViewInputs};
use crate::{Audience, Host};

impl Host {
    /// The tools of an audience, for whoever asks once and has time. Servers that were never asked are
    /// asked, and waited for; those that have been are not started for it.
    pub async fn list_tools(&self, audience: &Audience) -> Arc<ToolView> {
        self.await_list_at(&audience.address, ListKind::Tools, patient()).await;
        self.view(audience)
    }

    /// What an audience sees of what is known now.
    pub fn view(&self, audience: &Audience) -> Arc<ToolView> {
        // Read before the catalogs, so that a change in between is seen the next time.
        let epoch = self.inner.world.epoch();
        let known = self.inner.views.lock().of(audience);
        match known {
            Some((at, view)) if at == epoch => view,
            before => {
                let before = before.map(|(_, view)| view);
                let upstreams = self.inner.servers.all();
                let selected = self.rulebook().select(&audience.address, &upstreams);
                let inputs = ViewInputs {
                    selected,
                    upstreams: &upstreams,
                    ids: self.configured_ids(),
                    schema_bytes: self.schema_bytes(),
                    before: before.as_deref(),
                };
                let view = Arc::new(ToolView::build(audience, inputs));
                self.inner.views.lock().replace(audience, epoch, &view);
                view
            }
        }
    }
}
