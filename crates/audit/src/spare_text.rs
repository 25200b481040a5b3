//! Text that is written and thrown away again, in memory that the next one is written into.

use std::cell::Cell;

/// What is larger is given back.
const MOST_KEPT: usize = 16 * 1024;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A text in such memory.
#[derive(Debug)]
pub(crate) struct SpareText(Vec<u8>);

impl SpareText {
    /// What is written has to be text.
    pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut bytes = SPARE.take();
        write(&mut bytes);
        Self(bytes)
    }

    /// Nothing where it is no text after all.
    pub(crate) fn as_str(&self) -> Option<&str> {
        str::from_utf8(&self.0).ok()
    }
}

impl Drop for SpareText {
    fn drop(&mut self) {
        if self.0.capacity() <= MOST_KEPT {
            self.0.clear();
            // A thread that ends keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other_is_written_into_the_same_memory() {
        let first = SpareText::written(|out| out.extend_from_slice(b"a long first text"));
        let place = first.0.as_ptr();
        drop(first);
        let second = SpareText::written(|out| out.extend_from_slice(b"short"));
        assert_eq!((second.as_str(), second.0.as_ptr()), (Some("short"), place));
        let beside = SpareText::written(|out| out.extend_from_slice(b"two at once"));
        assert_eq!((second.as_str(), beside.as_str()), (Some("short"), Some("two at once")));
    }

    #[test]
    fn what_is_large_is_not_kept() {
        drop(SpareText::written(|out| out.resize(MOST_KEPT + 1, b'x')));
        assert_eq!(SPARE.take().capacity(), 0);
    }
}
