//! Whoever hears how a local process is doing.

use std::sync::Arc;

/// Told as it happens; must not wait.
pub(crate) trait ProcessListener: Send + Sync {
    /// It wrote this line to its standard error.
    fn complains(&self, line: &str);

    /// It has said nothing yet, and computes: it is starting, and does not hang.
    fn works(&self) {}
}

pub(crate) type ProcessEars = Arc<dyn ProcessListener>;

/// Who wants the lines alone.
impl<F: Fn(&str) + Send + Sync> ProcessListener for F {
    fn complains(&self, line: &str) {
        self(line);
    }
}
