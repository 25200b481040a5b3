//! All parked calls of one host, and how many there may be.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use toolgate_guard::ApprovalReference;
use toolgate_types::SessionId;

use super::parked_call::ParkedCall;
use crate::call::call_trouble::CallTrouble;

/// How many calls of one caller, and of one server, may wait at once.
const MOST_OF_CALLER: usize = 32;
const MOST_OF_SERVER: usize = 32;
/// How many there may be in all, those that ended and are kept for who asks again among them.
const MOST: usize = 512;

/// By reference.
#[derive(Default)]
pub(crate) struct ParkedCalls(Mutex<HashMap<ApprovalReference, Arc<ParkedCall>>>);

impl ParkedCalls {
    /// One more, unless there are too many. What it holds at its server then ends with it.
    pub(super) fn admit(&self, call: ParkedCall) -> Result<Arc<ParkedCall>, CallTrouble> {
        let mut all = self.0.lock();
        let open = || all.values().filter(|other| !other.has_ended());
        let of_caller = open().filter(|other| other.principal == call.principal).count();
        let of_server = open().filter(|other| other.server == call.server).count();
        if of_caller >= MOST_OF_CALLER || of_server >= MOST_OF_SERVER || all.len() >= MOST {
            return Err(CallTrouble::TooManyParked);
        }
        let call = Arc::new(call);
        all.insert(call.reference.clone(), Arc::clone(&call));
        Ok(call)
    }

    pub(super) fn get(&self, reference: &ApprovalReference) -> Option<Arc<ParkedCall>> {
        self.0.lock().get(reference).cloned()
    }

    /// A session is over: nobody else can come back with what its calls wait for.
    pub(crate) fn end_session(&self, session: &SessionId) {
        let all: Vec<_> = self.0.lock().values().cloned().collect();
        all.iter().filter(|call| call.session.as_ref() == Some(session)).for_each(|it| it.leave());
    }

    pub(super) fn forget(&self, call: &ParkedCall) {
        self.0.lock().remove(&call.reference);
    }
}
