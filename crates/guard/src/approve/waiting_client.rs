//! Whose calls wait, as far as that can be told: so that one client cannot fill the queue for all.

use toolgate_types::{Caller, Principal, Requester};

/// The client behind a call. A client is one however many windows or sessions it has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WaitingClient {
    /// By number and start.
    Process(u32, u64),
    Principal(Principal),
}

impl WaitingClient {
    pub(super) fn of(Caller { principal, requester, .. }: &Caller) -> Self {
        match requester {
            // The one furthest up uses all the others.
            Requester::Processes { processes, .. } => match processes.last() {
                Some(&(pid, start)) => Self::Process(pid, start),
                None => Self::Principal(principal.clone()),
            },
            Requester::Peer(_) | Requester::Unknown => Self::Principal(principal.clone()),
        }
    }
}
