//! A long answer on its way: read from its file beside the thread that sends it, a piece at a time, when
//! the one before is gone.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::task::{JoinHandle, spawn_blocking};

use super::{LongPiece, LongPieces};

/// How much is read at once.
const AT_ONCE: u64 = 256 * 1024;

/// Such an answer.
#[derive(Debug)]
pub(crate) struct LongReading {
    pieces: LongPieces,
    /// How much of it is still to come.
    left: u64,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl LongReading {
    pub(super) fn of(pieces: LongPieces) -> Self {
        Self { left: pieces.bytes(), pieces, reading: None }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// After a failure nothing more comes.
    pub(crate) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        loop {
            if let Some(reading) = &mut self.reading {
                let read = ready!(Pin::new(reading).poll(context));
                self.reading = None;
                return Poll::Ready(Some(match read.unwrap_or_else(|ended| Err(ended.into())) {
                    Ok(bytes) => Ok(self.gave(bytes.into())),
                    Err(error) => {
                        self.pieces.all.clear();
                        Err(error)
                    }
                }));
            }
            match self.pieces.all.pop_front() {
                None => return Poll::Ready(None),
                Some(LongPiece::Held(bytes)) if bytes.is_empty() => {}
                Some(LongPiece::Held(bytes)) => return Poll::Ready(Some(Ok(self.gave(bytes)))),
                Some(LongPiece::InFile(place)) if place.is_empty() => {}
                Some(LongPiece::InFile(place)) => {
                    let now = place.start..place.end.min(place.start.saturating_add(AT_ONCE));
                    self.pieces.all.push_front(LongPiece::InFile(now.end..place.end));
                    let file = Arc::clone(&self.pieces.rests.file);
                    // A disk may be slow.
                    self.reading = Some(spawn_blocking(move || read(&file, &now)));
                }
            }
        }
    }

    fn gave(&mut self, bytes: Bytes) -> Bytes {
        self.left = self.left.saturating_sub(bytes.len() as u64);
        bytes
    }
}

fn read(file: &File, place: &Range<u64>) -> io::Result<Vec<u8>> {
    // No longer than what is read at once.
    let length = usize::try_from(place.end - place.start).map_err(io::Error::other)?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, place.start)?;
    Ok(bytes)
}
