//! The sessions of a site.

use std::collections::HashSet;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    made: usize,
    open: HashSet<String>,
}

impl Sessions {
    /// A new one.
    pub(super) fn open(&self) -> String {
        let mut state = self.0.lock().unwrap();
        state.made += 1;
        let id = format!("session-{}", state.made);
        state.open.insert(id.clone());
        id
    }

    pub(super) fn knows(&self, id: &str) -> bool {
        self.0.lock().unwrap().open.contains(id)
    }

    pub(super) fn end(&self, id: &str) {
        self.0.lock().unwrap().open.remove(id);
    }

    pub(super) fn forget(&self) {
        self.0.lock().unwrap().open.clear();
    }
}
