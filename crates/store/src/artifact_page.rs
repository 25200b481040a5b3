//! One answer's worth of a result that was kept: no more is ever in memory, however large it is.

use std::ops;

use crate::{Artifact, ArtifactStore, StoreError};

/// The most that is answered at once.
pub const MOST_OF_ARTIFACT: u64 = 256 << 10;

/// Which part. Both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactRange {
    Whole,
    /// Counted from 1.
    Lines(u64, u64),
    /// Counted from 0. Of a text, each character whose first byte is in the range.
    Bytes(u64, u64),
}

/// Whether what has this type is text.
pub fn is_text(mime: &str) -> bool {
    let kind = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_written = ["json", "xml", "yaml", "javascript", "toml", "x-ndjson"]
        .iter()
        .any(|name| kind.strip_prefix("application/") == Some(name));
    kind.starts_with("text/") || is_written || kind.ends_with("+json") || kind.ends_with("+xml")
}

/// A part of what was kept.
#[derive(Debug, PartialEq, Eq)]
pub struct ArtifactPage {
    pub bytes: Vec<u8>,
    /// Where to read on, if this is less than was asked for.
    pub next: Option<ArtifactRange>,
}

/// What a page is read from.
#[allow(missing_debug_implementations, reason = "a store has nothing to show")]
pub struct ArtifactReader<'a> {
    pub kept: &'a dyn ArtifactStore,
    pub artifact: &'a Artifact,
    pub is_text: bool,
}

impl ArtifactReader<'_> {
    /// This part, or as much of its beginning as may be answered.
    pub async fn page(&self, range: ArtifactRange, most: u64) -> Result<ArtifactPage, StoreError> {
        let most = most.clamp(1, MOST_OF_ARTIFACT);
        match range {
            ArtifactRange::Whole => self.bytes(0..self.artifact.size, most).await,
            ArtifactRange::Bytes(from, to) => {
                let end = to.saturating_add(1).min(self.artifact.size);
                self.bytes(from.min(end)..end, most).await
            }
            ArtifactRange::Lines(first, last) => self.lines(first, last, most).await,
        }
    }

    async fn bytes(&self, wanted: ops::Range<u64>, most: u64) -> Result<ArtifactPage, StoreError> {
        let end = wanted.end.min(wanted.start.saturating_add(most));
        let next = (end < wanted.end).then(|| ArtifactRange::Bytes(end, wanted.end - 1));
        if !self.is_text {
            return Ok(ArtifactPage { bytes: self.read(wanted.start..end).await?, next });
        }
        // With the rest of a character that begins within, and the begin of one that ends within.
        let before = wanted.start.min(3);
        let bytes = self.read(wanted.start - before..end + 3).await?;
        let length = usize::try_from(end - wanted.start).unwrap_or(usize::MAX);
        let before = usize::try_from(before).unwrap_or_default();
        let bytes = whole_characters(&bytes, before, length).to_vec();
        Ok(ArtifactPage { bytes, next })
    }

    async fn lines(&self, first: u64, last: u64, most: u64) -> Result<ArtifactPage, StoreError> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut bytes: Vec<u8> = Vec::new();
        // Where the chunk begins, the line it begins in, the end of the last whole line.
        let (mut at, mut line, mut whole) = (0, 1, 0);
        loop {
            let chunk = self.read(at..at + MOST_OF_ARTIFACT).await?;
            if chunk.is_empty() {
                return Ok(ArtifactPage { bytes, next: None });
            }
            let mut begins = at;
            for part in chunk.split_inclusive(|byte| *byte == b'\n') {
                if line > last {
                    return Ok(ArtifactPage { bytes, next: None });
                }
                if line >= first {
                    let room = most - bytes.len();
                    if part.len() > room && whole > 0 {
                        bytes.truncate(whole);
                        return Ok(ArtifactPage {
                            bytes,
                            next: Some(ArtifactRange::Lines(line, last)),
                        });
                    }
                    if part.len() > room {
                        // One line that is longer than an answer.
                        let start = begins - bytes.len() as u64;
                        return self.bytes(start..self.artifact.size, most as u64).await;
                    }
                    bytes.extend_from_slice(part);
                }
                begins += part.len() as u64;
                if part.ends_with(b"\n") {
                    line += 1;
                    whole = bytes.len();
                }
            }
            at += chunk.len() as u64;
        }
    }

    async fn read(&self, range: ops::Range<u64>) -> Result<Vec<u8>, StoreError> {
        let Artifact { id, owner, .. } = self.artifact;
        let gone = || StoreError::Other { what: "what was kept is gone".to_owned() };
        self.kept.read_artifact(id, owner, range).await?.ok_or_else(gone)
    }
}

/// The characters that begin within so many bytes; some stand before those. What is the end of no
/// character stays: then this is no text, and whoever reads it finds out.
fn whole_characters(bytes: &[u8], before: usize, length: usize) -> &[u8] {
    let is_rest = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let past = |at: usize| (at..at + 3).take_while(|at| is_rest(*at)).count() + at;
    let is_character = |from: usize| {
        let text = bytes.get(from..past(before)).map(str::from_utf8);
        text.is_some_and(|text| text.is_ok_and(|text| text.chars().count() == 1))
    };
    let start = if (0..before).any(is_character) { past(before) } else { before };
    let end = past((before + length).min(bytes.len()));
    bytes.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
