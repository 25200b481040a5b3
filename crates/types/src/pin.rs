//! The words around pins: how a definition came to be accepted, and how much another differs.
//!
//! What a pin holds and where it is kept is `toolgate-store`; telling two definitions apart is
//! `toolgate-guard`.

use std::cmp::Ordering;

words! {
    /// How a definition came to be accepted.
    PinnedBy {
        /// It was in the first list of its server.
        First = "first",
        /// It came later, as a tool that the server did not have before.
        New = "new",
        /// A person accepted it.
        Person = "person",
    }

    /// How much a definition differs from the accepted one, the least first.
    Severity {
        /// Other words for the same, or the same written differently.
        Wording = "wording",
        /// It takes or gives something else.
        Interface = "interface",
        /// It says something else of its effects, or hides something.
        Danger = "danger",
    }
}

impl PartialOrd for Severity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Severity {
    fn cmp(&self, other: &Self) -> Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}
