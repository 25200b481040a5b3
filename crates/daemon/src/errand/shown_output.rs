//! What a command prints, shown to the person while it runs, and what is left to be said of it afterwards.

use toolgate_types::{CommandPiece, PrintedStream};

use super::{CarryFailure, Onlooker};

/// What was shown so far.
#[derive(Debug, Default)]
pub(super) struct ShownOutput {
    /// Standard output is the first part of a result, where there is any.
    has_printed: bool,
    /// Standard error is the next, where there is more than blanks in it.
    has_complained: bool,
    has_shown: bool,
}

impl ShownOutput {
    pub(super) async fn show(&mut self, piece: CommandPiece, person: &dyn Onlooker) {
        let CommandPiece::Printed { stream, bytes } = piece else { return };
        self.has_shown = true;
        match stream {
            PrintedStream::Stdout => self.has_printed = true,
            PrintedStream::Stderr => self.has_complained |= !bytes.trim_ascii().is_empty(),
        }
        person.printed(stream, bytes).await;
    }

    /// How many parts of the result that says.
    pub(super) fn parts(&self) -> Option<usize> {
        let parts = usize::from(self.has_printed) + usize::from(self.has_complained);
        self.has_shown.then_some(parts)
    }

    /// A failure does not say again what was shown.
    pub(super) fn without_shown(&self, mut failure: CarryFailure) -> CarryFailure {
        if let (CarryFailure::Failed(failed), true) = (&mut failure, self.has_shown) {
            failed.partial = None;
        }
        failure
    }
}
