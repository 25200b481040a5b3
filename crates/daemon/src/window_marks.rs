//! Windows as every daemon knows them: by the process at their other end, its start and the boot, so
//! that what a person said about one holds for as long as it is open, and for no other.

use std::collections::BTreeMap;

use toolgate_control::procfs;
use toolgate_store::Store;
use toolgate_types::{PersonSwitch, ServerId, SwitchScope, SwitchSubject, WindowMark};

use crate::lineage::AgentClients;

/// The window of these clients; nothing where the system does not tell.
pub(crate) fn window_mark(clients: &AgentClients) -> Option<WindowMark> {
    let shim = clients.processes.first()?;
    Some(WindowMark { boot: procfs::boot()?, pid: shim.pid, start: shim.start })
}

/// The servers that are off for a window.
pub(crate) fn off_for(
    switches: &[PersonSwitch],
    mark: &WindowMark,
) -> BTreeMap<ServerId, SwitchScope> {
    let its = switches.iter().filter(|one| one.scope == SwitchScope::Window(mark.clone()));
    let off = its.filter_map(|one| match &one.subject {
        SwitchSubject::Off(server) => Some((server.clone(), one.scope.clone())),
        SwitchSubject::Role(_) => None,
    });
    off.collect()
}

/// Forgets what was kept of windows whose process is gone. What cannot be forgotten now is the next
/// time, and counts for nobody meanwhile.
pub(crate) async fn forget_closed_windows(store: &dyn Store) {
    let known = store.known_windows().await.unwrap_or_default();
    for window in known.into_iter().filter(|window| !is_open(window)) {
        let _ = store.forget_window(&window).await;
    }
}

fn is_open(window: &WindowMark) -> bool {
    let process = procfs::process(window.pid);
    process.is_some_and(|process| process.start == window.start)
        && procfs::boot().as_ref() == Some(&window.boot)
}
