//! An answer that was too long to hold, where it is, and where such answers go.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use toolgate_store::ArtifactStore;

/// Where answers go that are too long to hold.
#[derive(Clone)]
pub struct SpillPlace {
    /// Has the file.
    pub store: Arc<dyn ArtifactStore>,
    /// The most that one answer may have.
    pub most: u64,
    /// The setting that says so.
    pub setting: &'static str,
}

impl std::fmt::Debug for SpillPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpillPlace").field("most", &self.most).finish_non_exhaustive()
    }
}

/// An answer that was too long to hold.
#[derive(Debug, Clone)]
pub struct SpilledAnswer {
    file: Arc<File>,
    result: Range<u64>,
    mark: String,
    is_abridged: bool,
}

impl SpilledAnswer {
    pub(crate) fn new(
        file: Arc<File>,
        result: Range<u64>,
        mark: String,
        is_abridged: bool,
    ) -> Self {
        Self { file, result, mark, is_abridged }
    }

    /// Where the answer is, and in which part of it its result stands.
    pub fn result(&self) -> (Arc<File>, Range<u64>) {
        (Arc::clone(&self.file), self.result.clone())
    }

    /// What every string that was cut ends with in what is held of the answer, before its full length
    /// and a semicolon. No server can know it.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Whether anything is held of it at all: what has very many short strings is not.
    pub fn is_abridged(&self) -> bool {
        self.is_abridged
    }
}
