//! The name under which a tool is listed, with the tool as it is listed.
//!
//! It is apart from the tool itself since it outlives a load that changes nothing about either. What is
//! written is up to whoever lists.

use std::sync::{Arc, OnceLock};

/// The name under which a tool is listed.
#[derive(Debug)]
pub(crate) struct ListedName {
    name: Box<str>,
    /// Nothing where it is not the same for all who see the name.
    written: OnceLock<Option<Box<[u8]>>>,
}

impl ListedName {
    pub(crate) fn new(name: impl Into<Box<str>>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), written: OnceLock::new() })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    /// The tool as it is listed, where somebody wrote it before.
    #[inline]
    pub(crate) fn written(&self) -> Option<&[u8]> {
        self.written.get()?.as_deref()
    }

    /// The same, written now where nobody did.
    pub(crate) fn written_by(&self, write: impl FnOnce() -> Option<Vec<u8>>) -> Option<&[u8]> {
        self.written.get_or_init(|| write().map(Vec::into_boxed_slice)).as_deref()
    }
}
