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

/// One that has its place and whose caller was told nothing yet: until then it may come to nothing, and
/// nobody would ever come back for it.
pub(super) struct AdmittedCall<'a> {
    all: &'a ParkedCalls,
    call: Option<Arc<ParkedCall>>,
}

impl AdmittedCall<'_> {
    /// Its caller knows of it.
    pub(super) fn stays(mut self) {
        self.call = None;
    }
}

impl Drop for AdmittedCall<'_> {
    fn drop(&mut self) {
        if let Some(call) = &self.call {
            self.all.forget(call);
        }
    }
}

impl ParkedCalls {
    /// One more, unless there are too many. What it holds at its server then ends with it.
    pub(super) fn admit(
        &self,
        call: ParkedCall,
    ) -> Result<(Arc<ParkedCall>, AdmittedCall<'_>), CallTrouble> {
        let mut all = self.0.lock();
        let open = || all.values().filter(|other| !other.has_ended());
        let of_caller = open().filter(|other| other.principal == call.principal).count();
        let of_server = open().filter(|other| other.server == call.server).count();
        if of_caller >= MOST_OF_CALLER || of_server >= MOST_OF_SERVER || all.len() >= MOST {
            return Err(CallTrouble::TooManyParked);
        }
        let call = Arc::new(call);
        all.insert(call.reference.clone(), Arc::clone(&call));
        let admitted = AdmittedCall { all: self, call: Some(Arc::clone(&call)) };
        Ok((call, admitted))
    }

    pub(super) fn get(&self, reference: &ApprovalReference) -> Option<Arc<ParkedCall>> {
        self.0.lock().get(reference).cloned()
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.0.lock().is_empty()
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

#[cfg(test)]
mod tests {
    use toolgate_types::{CorrelationId, Digest, Principal, ServerId};

    use super::*;

    fn call() -> ParkedCall {
        let server = ServerId::parse("one").unwrap();
        let (principal, chain) = (Principal::named("ada"), CorrelationId::next());
        ParkedCall::new(server, (principal, None), Digest([0; 32]), None, chain)
    }

    /// Whatever goes wrong before its caller is told, on a disk that is full for one.
    #[test]
    fn a_call_whose_caller_was_told_nothing_leaves_its_place() {
        let all = ParkedCalls::default();
        for _ in 0..2 * MOST_OF_CALLER {
            let (parked, admitted) = all.admit(call()).unwrap();
            assert!(all.get(&parked.reference).is_some());
            drop(admitted);
            assert!(all.get(&parked.reference).is_none());
        }
        for _ in 0..MOST_OF_CALLER {
            let (parked, admitted) = all.admit(call()).unwrap();
            admitted.stays();
            assert!(all.get(&parked.reference).is_some());
        }
        assert!(matches!(all.admit(call()), Err(CallTrouble::TooManyParked)));
    }
}
