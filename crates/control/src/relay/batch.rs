//! What was read in one go, line by line.

use std::mem;

use memchr::memchr_iter;

use super::glance::MessageGlance;

/// A line and what it is.
pub(crate) type GlancedLine<'b> = (&'b [u8], MessageGlance);

/// The lines of a batch, their ends included.
pub(crate) fn lines(batch: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr_iter(b'\n', batch).map(|at| at + 1);
    // What has no end comes last.
    let ends = ends.chain((!batch.ends_with(b"\n")).then_some(batch.len()));
    ends.scan(0, |from, end| batch.get(mem::replace(from, end)..end))
}

pub(crate) fn look(batch: &[u8]) -> Vec<GlancedLine<'_>> {
    lines(batch).map(|line| (line, MessageGlance::at(line))).collect()
}
