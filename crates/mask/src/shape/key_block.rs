//! Private keys in PEM, from their first line to their last.
//!
//! A text that ends before the key does is masked to its end. Lines that come one by one are not
//! known to belong together.

use std::ops::Range;

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    const DASHES: &str = "-----";
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        let label = start + BEGIN.len();
        let Some(body) = text[label..].find(DASHES).map(|at| label + at) else { return };
        from = label;
        if !text[label..body].contains("PRIVATE KEY") {
            continue;
        }
        let last = text[body..].find(END).map(|at| body + at + END.len());
        let end = last.and_then(|last| Some(last + text[last..].find(DASHES)? + DASHES.len()));
        from = end.unwrap_or(text.len());
        found.push(start..from);
    }
}
