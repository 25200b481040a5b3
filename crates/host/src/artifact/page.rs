//! One answer's worth of a result that was kept: no more is ever in memory, however large it is.

use std::ops;

use toolgate_store::{Artifact, ArtifactStore};

use super::ArtifactRange;
use crate::call::call_trouble::CallTrouble;

/// The most that is answered at once.
pub(crate) const MOST: u64 = 256 << 10;

/// A part of what was kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArtifactPage {
    pub(crate) bytes: Vec<u8>,
    /// Where to read on, if this is less than was asked for.
    pub(crate) next: Option<ArtifactRange>,
}

/// What a page is read from.
pub(crate) struct ArtifactReader<'a> {
    pub(crate) kept: &'a dyn ArtifactStore,
    pub(crate) artifact: &'a Artifact,
    pub(crate) is_text: bool,
}

impl ArtifactReader<'_> {
    /// This part, or as much of its beginning as may be answered.
    pub(crate) async fn page(
        &self,
        range: ArtifactRange,
        most: u64,
    ) -> Result<ArtifactPage, CallTrouble> {
        let most = most.clamp(1, MOST);
        match range {
            ArtifactRange::Whole => self.bytes(0..self.artifact.size, most).await,
            ArtifactRange::Bytes(from, to) => {
                let end = to.saturating_add(1).min(self.artifact.size);
                self.bytes(from.min(end)..end, most).await
            }
            ArtifactRange::Lines(first, last) => self.lines(first, last, most).await,
        }
    }

    async fn bytes(&self, wanted: ops::Range<u64>, most: u64) -> Result<ArtifactPage, CallTrouble> {
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

    async fn lines(&self, first: u64, last: u64, most: u64) -> Result<ArtifactPage, CallTrouble> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut bytes: Vec<u8> = Vec::new();
        // Where the chunk begins, the line it begins in, the end of the last whole line.
        let (mut at, mut line, mut whole) = (0, 1, 0);
        loop {
            let chunk = self.read(at..at + MOST).await?;
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

    async fn read(&self, range: ops::Range<u64>) -> Result<Vec<u8>, CallTrouble> {
        let Artifact { id, principal, .. } = self.artifact;
        let bytes = self.kept.read_artifact(id, principal, range).await;
        // It was there a moment ago.
        bytes.ok().flatten().ok_or(CallTrouble::Unreadable)
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
