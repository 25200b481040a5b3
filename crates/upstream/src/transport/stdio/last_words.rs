//! What a process wrote to its standard error, for whoever gave it up: what belonged to it is gone then.

use std::sync::Arc;

use toolgate_types::NetworkDecision;

use super::process_listener::{ProcessEars, ProcessListener};
use super::tail::StderrTail;

/// The last lines of a process, whether it is still there or not.
#[derive(Debug, Default, Clone)]
pub(crate) struct LastWords(Arc<StderrTail>);

impl LastWords {
    /// Hears what is said to a listener, or would be.
    pub(crate) fn overheard(hear: Option<ProcessEars>) -> (Self, ProcessEars) {
        let words = Self::default();
        let kept = words.clone();
        (words, Arc::new(Overhearing { kept, hear }))
    }

    /// Nothing where there were none.
    pub(crate) fn text(&self) -> Option<String> {
        self.0.text()
    }
}

struct Overhearing {
    kept: LastWords,
    hear: Option<ProcessEars>,
}

impl ProcessListener for Overhearing {
    fn complains(&self, line: &str) {
        self.kept.0.feed(line.as_bytes());
        self.kept.0.feed(b"\n");
        if let Some(hear) = &self.hear {
            hear.complains(line);
        }
    }

    fn reaches(&self, decision: NetworkDecision) {
        if let Some(hear) = &self.hear {
            hear.reaches(decision);
        }
    }

    fn works(&self) {
        if let Some(hear) = &self.hear {
            hear.works();
        }
    }
}
