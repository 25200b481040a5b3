//! What a person switched off for one window alone. It is looked at with each request.

use std::collections::BTreeMap;

use parking_lot::RwLock;
use toolgate_types::{ServerId, SwitchScope};

/// The servers that are off for a window.
#[derive(Debug, Default)]
pub struct WindowSwitches(RwLock<BTreeMap<ServerId, SwitchScope>>);

impl WindowSwitches {
    pub fn new(off: BTreeMap<ServerId, SwitchScope>) -> Self {
        Self(RwLock::new(off))
    }

    /// From now on these are off, and no others.
    pub fn replace(&self, off: BTreeMap<ServerId, SwitchScope>) {
        *self.0.write() = off;
    }

    /// Those that are off; nothing where none is.
    pub fn off(&self) -> Option<BTreeMap<ServerId, SwitchScope>> {
        let off = self.0.read();
        (!off.is_empty()).then(|| off.clone())
    }
}
