//! Whether a person may be asked through a caller itself, by a form that its client shows.
//!
//! A client is one at the other end of a window or of a connection. What it starts can open windows of
//! its own and would fill in its forms itself, so it is not asked there.

use toolgate_control::procfs::{self, ProcessIdentity};

use super::attachment::Attachment;
use super::chain::chain_of;
use super::terminals::is_deserted;
use super::{gates, open_files};

/// Whether these clients are known, none of them lies below a client of somebody else, be it one of
/// the others or of another gate, or below a gate's servers, and they are the ones that opened it.
pub(crate) fn may_be_asked(asked: &Attachment, others: &[Attachment]) -> bool {
    let clients = asked.clients();
    if clients.is_hidden || clients.heads.is_empty() {
        return false;
    }
    let elsewhere = gates::attachments();
    let all: Vec<&Attachment> = others.iter().chain(&elsewhere).collect();
    let heads = all.iter().flat_map(|other| other.clients().heads.iter().copied());
    let ourselves = procfs::process(std::process::id());
    let others: Vec<ProcessIdentity> =
        heads.chain(ourselves).filter(|other| !clients.heads.contains(other)).collect();
    let is_free = clients.heads.iter().all(|head| {
        let chain = chain_of(head.pid);
        // One that shows nothing to anybody shows no form either.
        chain.is_of(*head) && !chain.lies_below(&others) && !is_deserted(head.pid)
    });
    is_free && is_the_clients_own(asked, &all)
}

/// Whether the client opened this window, and not something that it runs: a shell below it is climbed
/// over, so a window that a shell opened has the same client. Where that one is attached already by
/// another way, this one counts only if the client itself writes what the shim reads.
fn is_the_clients_own(asked: &Attachment, others: &[&Attachment]) -> bool {
    let Some(shim) = asked.shim() else { return true };
    let heads = &asked.clients().heads;
    let is_same =
        |other: &&&Attachment| other.clients().heads.iter().any(|head| heads.contains(head));
    let was_first = |other: &Attachment| {
        other.shim().is_none_or(|other| (other.start, other.pid) < (shim.start, shim.pid))
    };
    let is_second = others.iter().filter(is_same).any(|other| was_first(other));
    let is_told_by = |head: &ProcessIdentity| {
        procfs::place(shim.pid).is_some_and(|place| place.parent == head.pid)
            && procfs::input(shim.pid).is_some_and(|pipe| open_files::writes_to(head.pid, pipe))
    };
    !is_second || heads.iter().any(is_told_by)
}
