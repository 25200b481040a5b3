//! How long files are.

use std::fmt;

use super::ShippedFile;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFigures {
    pub files: usize,
    pub lines: usize,
    pub median: usize,
    /// Nine of ten are no longer.
    pub p90: usize,
    pub largest: Option<(String, usize)>,
}

impl LineFigures {
    pub fn of(files: &[ShippedFile]) -> Self {
        let mut lengths: Vec<usize> = files.iter().map(|file| file.lines).collect();
        lengths.sort_unstable();
        let at = |part: usize| lengths.get(lengths.len() * part / 100).copied().unwrap_or_default();
        let largest = files.iter().max_by_key(|file| file.lines);
        Self {
            files: files.len(),
            lines: lengths.iter().sum(),
            median: at(50),
            p90: at(90),
            largest: largest.map(|file| (file.path.clone(), file.lines)),
        }
    }
}

/// As cells of a table.
impl fmt::Display for LineFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, lines, median, p90, largest } = self;
        write!(f, "{files} | {lines} | {median} | {p90} | ")?;
        match largest {
            Some((path, lines)) => write!(f, "`{path}` {lines}"),
            None => Ok(()),
        }
    }
}
