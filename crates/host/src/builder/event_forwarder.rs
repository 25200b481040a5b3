//! A listener who is told of servers' troubles without the secrets in them.
//!
//! Standard error is passed on as it comes, and so is what a server logs: whoever shows those masks
//! them.

use std::sync::Arc;

use toolgate_mask::Masker;
use toolgate_types::{HostEvent, HostListener, ServerId};

use crate::host::TROUBLE_LINE;

pub(super) struct EventForwarder {
    pub(super) listener: Arc<dyn HostListener>,
    pub(super) masker: Masker,
}

impl HostListener for EventForwarder {
    fn happened(&self, event: HostEvent) {
        self.listener.happened(match event {
            HostEvent::State { server, state, error: Some(error) } => {
                let error = Some(self.masker.mask_and_cut(&error, TROUBLE_LINE));
                HostEvent::State { server, state, error }
            }
            other => other,
        });
    }

    fn complained(&self, server: &ServerId, line: &str) {
        self.listener.complained(server, line);
    }
}
