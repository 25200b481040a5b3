//! The record of one call, from its begin to whatever its end is.

use std::sync::Arc;
use std::time::Instant;

use toolgate_types::{CallRef, CorrelationId, Ending, HostEvent, HostListener, ServerId};

/// An open record. Its end is written exactly once, also when the call is simply dropped.
pub struct Record {
    call: CallRef,
    began: Instant,
    listener: Arc<dyn HostListener>,
    announced: bool,
    ending: Ending,
}

impl Record {
    /// Opens a record for what a caller asked; who will do it is not known yet.
    pub fn open(word: &'static str, target: &str, listener: Arc<dyn HostListener>) -> Self {
        let correlation = CorrelationId::next();
        let call = CallRef { correlation, server: None, word, target: target.to_owned() };
        let (began, ending) = (Instant::now(), Ending::Aborted);
        Self { call, began, listener, announced: false, ending }
    }

    pub fn correlation(&self) -> &CorrelationId {
        &self.call.correlation
    }

    /// The call is for this server and for what it calls by this name.
    pub fn is_for(&mut self, server: &ServerId, target: &str) {
        self.call.server = Some(server.clone());
        target.clone_into(&mut self.call.target);
    }

    /// It goes to the server now.
    pub fn began(&mut self) {
        self.announced = true;
        self.listener.happened(HostEvent::CallBegan { call: self.call.clone() });
    }

    pub fn finish(mut self, ending: Ending) {
        self.ending = ending;
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // What never began is still told: a refused call is the more interesting one.
        if !self.announced {
            self.listener.happened(HostEvent::CallBegan { call: self.call.clone() });
        }
        let (call, duration) = (self.call.clone(), self.began.elapsed());
        self.listener.happened(HostEvent::CallEnded { call, duration, ending: self.ending });
    }
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("call", &self.call).finish_non_exhaustive()
    }
}
