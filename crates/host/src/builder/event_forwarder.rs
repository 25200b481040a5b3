//! A listener who is told of servers' troubles without the secrets in them; what they reach is written down
//! as well.
//!
//! Standard error is passed on as it comes, and so is what a server logs: whoever shows those masks
//! them.

use std::sync::Arc;

use toolgate_audit::CallJournal;
use toolgate_mask::Masker;
use toolgate_types::{HostEvent, HostListener, Secret, ServerId};

use crate::host::TROUBLE_LINE;

pub(super) struct EventForwarder {
    pub(super) listener: Arc<dyn HostListener>,
    pub(super) masker: Masker,
    pub(super) journal: CallJournal,
}

impl HostListener for EventForwarder {
    fn happened(&self, event: HostEvent) {
        if let HostEvent::Network { server, decision } = &event {
            self.journal.keep_network(server, decision);
        }
        self.listener.happened(match event {
            HostEvent::State { server, state, error: Some(error) } => {
                let error = Some(self.masker.mask_and_cut(&error, TROUBLE_LINE));
                HostEvent::State { server, state, error }
            }
            other => other,
        });
    }

    fn shown_token(&self, token: &Secret) {
        self.masker.learn(&Masker::builder().secret(token).build());
    }

    fn complained(&self, server: &ServerId, line: &str) {
        self.listener.complained(server, line);
    }
}
