//! A page on its way to a client, as one message: written piece by piece while the client takes it, so that
//! a list of a megabyte is never copied as a whole.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::WrittenPage;

/// About how much is written at once.
pub(super) const PIECE: usize = 16 * 1024;

/// A message with the items of a page in it.
pub(crate) struct ListPageAnswer {
    /// The message without its items.
    pub(super) frame: Vec<u8>,
    /// Where in that they belong.
    pub(super) items_at: usize,
    pub(super) page: Arc<WrittenPage>,
    pub(super) next: PagePart,
}

/// What of a message is still to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PagePart {
    Head,
    /// The items from this place on.
    Items(usize),
    Nothing,
}

impl fmt::Debug for ListPageAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListPageAnswer").field("next", &self.next).finish_non_exhaustive()
    }
}

impl ListPageAnswer {
    /// Of the whole message.
    pub(crate) fn len(&self) -> usize {
        self.frame.len() + self.page.bytes
    }

    /// Whether it is so short that pieces are not worth it.
    pub(crate) fn is_short(&self) -> bool {
        self.len() <= 2 * PIECE
    }

    pub(crate) fn whole(mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len());
        self.write(&mut out, usize::MAX);
        out
    }

    /// The next piece of it, if there is one.
    pub(crate) fn piece(&mut self) -> Option<Bytes> {
        if self.next == PagePart::Nothing {
            return None;
        }
        // The last item goes beyond it nearly always.
        let mut out = Vec::with_capacity(PIECE + PIECE / 8);
        self.write(&mut out, PIECE);
        Some(out.into())
    }

    fn write(&mut self, out: &mut Vec<u8>, until: usize) {
        let (head, tail) = self.frame.split_at(self.items_at);
        let from = match self.next {
            PagePart::Head => {
                out.extend_from_slice(head);
                self.page.start
            }
            PagePart::Items(from) => from,
            PagePart::Nothing => return,
        };
        let to = self.page.write_items(from, out, until);
        self.next = match to < self.page.end {
            true => PagePart::Items(to),
            false => {
                out.extend_from_slice(tail);
                PagePart::Nothing
            }
        };
    }
}
