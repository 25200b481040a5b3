//! Two texts as a unified diff, as long as there is room and time.
//!
//! It does no I/O and knows no files: bytes that are no text are shown as well as they can be.

use std::collections::HashMap;
use std::time::Instant;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag, group_diff_ops};

/// The hunks of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UnifiedDiff {
    pub(crate) text: String,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    /// Hunks or parts of lines are missing.
    pub(crate) is_cut: bool,
}

/// How much of it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DiffRoom {
    pub(crate) context: usize,
    pub(crate) bytes: usize,
    pub(crate) line_bytes: usize,
    /// From then on the difference is found less well, and soon.
    pub(crate) deadline: Instant,
}

pub(crate) fn unified(old: &[u8], new: &[u8], room: DiffRoom) -> UnifiedDiff {
    let (old, new) = (split(old), split(new));
    let mut diff = UnifiedDiff::default();
    for hunk in group_diff_ops(line_ops(&old, &new, room.deadline), room.context) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = span(first.old_range().start, last.old_range().end);
        let after = span(first.new_range().start, last.new_range().end);
        let mut text = format!("@@ -{before} +{after} @@\n");
        let (mut added, mut removed) = (0, 0);
        for op in &hunk {
            let (mark_old, shows_new) = match op.tag() {
                DiffTag::Equal => (' ', false),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => ('-', true),
            };
            for line in old.get(op.old_range()).unwrap_or_default() {
                removed += usize::from(shows_new);
                diff.is_cut |= push(&mut text, mark_old, line, room.line_bytes);
            }
            let inserted = new.get(op.new_range()).unwrap_or_default();
            for line in inserted.iter().filter(|_| shows_new) {
                added += 1;
                diff.is_cut |= push(&mut text, '+', line, room.line_bytes);
            }
            if diff.text.len() + text.len() > room.bytes {
                break;
            }
        }
        if diff.text.len() + text.len() > room.bytes {
            diff.is_cut = true;
            break;
        }
        diff.text.push_str(&text);
        diff.added += added;
        diff.removed += removed;
    }
    diff
}

/// Lines with their ends; the last may have none.
pub(crate) fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// What was kept, taken away and put in, by line.
pub(crate) fn line_ops(old: &[&[u8]], new: &[&[u8]], deadline: Instant) -> Vec<DiffOp> {
    // Numbers are compared faster than lines.
    let mut known: HashMap<&[u8], u32> = HashMap::new();

    let (mut a, mut b) = (Vec::with_capacity(old.len()), Vec::with_capacity(new.len()));
    for (lines, numbered) in [(old, &mut a), (new, &mut b)] {
        for line in lines {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            numbered.push(*known.entry(line).or_insert(next));
        }
    }
    // Named here, since whoever may choose among all algorithms has all of them in the program.
    let mut found = Compact::new(Replace::new(Capture::new()), &a, &b);
    let (before, after) = (0..a.len(), 0..b.len());
    let Ok(()) = myers::diff_deadline(&mut found, &a, before, &b, after, Some(deadline));
    found.into_inner().into_inner().into_ops()
}

fn span(start: usize, end: usize) -> String {
    match end - start {
        // An empty range is named by the line before it.
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        length => format!("{},{length}", start + 1),
    }
}

/// Says whether the line was cut.
fn push(text: &mut String, mark: char, line: &[u8], most: usize) -> bool {
    let whole = line.strip_suffix(b"\n").unwrap_or(line);
    let shown = &whole[..whole.len().min(most)];
    text.push(mark);
    text.push_str(&String::from_utf8_lossy(shown));
    let is_cut = shown.len() < whole.len();
    if is_cut {
        text.push_str("… [cut]");
    }
    text.push('\n');
    if whole.len() == line.len() {
        text.push_str("\\ No newline at end of file\n");
    }
    is_cut
}

#[cfg(test)]
mod tests;
