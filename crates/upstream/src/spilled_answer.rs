//! An answer that was too long to hold, where it is, and where such answers go.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use toolgate_store::ArtifactStore;
use toolgate_types::{CutMark, DiskShare, LongResult, OperationResult, StringRests};

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
    pub(crate) file: Arc<File>,
    pub(crate) result: Range<u64>,
    pub(crate) mark: CutMark,
    pub(crate) is_abridged: bool,
    pub(crate) rests: Option<Arc<[Range<u64>]>>,
}

impl SpilledAnswer {
    /// Where the answer is, and in which part of it its result stands.
    pub fn result(&self) -> (Arc<File>, Range<u64>) {
        (Arc::clone(&self.file), self.result.clone())
    }

    /// What every string that was cut ends with in what is held of the answer. No server can know it.
    pub fn mark(&self) -> &CutMark {
        &self.mark
    }

    /// Whether anything is held of it at all: what has very many short strings is not.
    pub fn is_abridged(&self) -> bool {
        self.is_abridged
    }

    /// What is held and all that was cut from it, as one result; nothing where the two together are no
    /// JSON, or where all such results that are `passing` would have more than `most` bytes.
    pub fn long_result(
        &self,
        OperationResult { is_error, result }: &OperationResult,
        passing: &Arc<AtomicU64>,
        most: u64,
    ) -> Option<LongResult> {
        let bytes = self.result.end.saturating_sub(self.result.start);
        let rests = StringRests {
            file: Arc::clone(&self.file),
            mark: self.mark.clone(),
            places: Arc::clone(self.rests.as_ref()?),
            share: Arc::new(DiskShare::take(passing, bytes, most)?),
        };
        Some(LongResult { is_error: *is_error, held: result.clone(), rests, bytes })
    }
}
