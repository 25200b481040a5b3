//! Messages as lines, over any pair of byte streams.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;
use toolgate_types::step_aside;
use toolgate_wire::line::{DecodedLine, LineDecoder, end_line};

use super::duplex::MessageWriter;
use crate::channel::OutgoingMessage;
use crate::failure::RequestError;
use crate::router::MessageRouter;
use crate::spill::AnswerSpill;

const READ_BUFFER: usize = 64 * 1024;
/// How long saying that it is over may take.
const GOODBYE: Duration = Duration::from_millis(100);

/// Writes one message per line. Closing it tells the other side that it is over.
pub(crate) struct LineWriter<W> {
    open: Mutex<Option<OpenWriter<W>>>,
    /// Tells whoever is stuck in a write that it is over.
    is_closed: watch::Sender<bool>,
}

struct OpenWriter<W> {
    stream: W,
    /// What a caller who gave up in the middle of a line left unwritten. Without it the next line
    /// would be glued to half of this one.
    unsent: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub(crate) fn new(stream: W) -> Self {
        let open = Mutex::new(Some(OpenWriter { stream, unsent: Vec::new() }));
        Self { open, is_closed: watch::Sender::new(false) }
    }

    /// Does not wait for a server that has stopped reading.
    pub(crate) async fn close(&self) {
        self.is_closed.send_replace(true);
        if let Some(mut open) = self.open.lock().await.take() {
            // The other half of the stream may keep it open otherwise.
            let _ = timeout(GOODBYE, open.stream.shutdown()).await;
        }
    }

    async fn write_line(&self, message: &OutgoingMessage) -> Result<(), RequestError> {
        let mut open = self.open.lock().await;
        let open = open.as_mut().ok_or_else(closed)?;
        open.drain().await?;
        message.use_consent()?;
        open.unsent.extend_from_slice(&message.bytes);
        end_line(&mut open.unsent, 0);
        open.drain().await
    }
}

impl<W: AsyncWrite + Unpin> OpenWriter<W> {
    /// Can be dropped at any point: what was written is taken off at once.
    async fn drain(&mut self) -> Result<(), RequestError> {
        let failed = |error: std::io::Error| {
            RequestError::Closed(format!("cannot write to the server: {error}"))
        };
        let mut from = WrittenPart { unsent: &mut self.unsent, count: 0 };
        while from.count < from.unsent.len() {
            match self.stream.write(&from.unsent[from.count..]).await.map_err(failed)? {
                0 => return Err(failed(std::io::ErrorKind::WriteZero.into())),
                count => from.count += count,
            }
        }
        drop(from);
        self.stream.flush().await.map_err(failed)
    }
}

/// Takes off what was written, however the writing ends.
struct WrittenPart<'a> {
    unsent: &'a mut Vec<u8>,
    count: usize,
}

impl Drop for WrittenPart<'_> {
    fn drop(&mut self) {
        self.unsent.drain(..self.count);
    }
}

fn closed() -> RequestError {
    RequestError::Closed("it was closed".to_owned())
}

#[async_trait]
impl<W: AsyncWrite + Unpin + Send> MessageWriter for LineWriter<W> {
    async fn write(&self, message: &OutgoingMessage) -> Result<(), RequestError> {
        let mut is_closed = self.is_closed.subscribe();
        tokio::select! {
            biased;
            written = self.write_line(message) => written,
            _ = is_closed.wait_for(|is_closed| *is_closed) => Err(closed()),
        }
    }
}

/// Reads lines into the router until the stream ends; says why it ended.
pub(crate) async fn read_lines(
    mut stream: impl AsyncRead + Unpin,
    router: Arc<MessageRouter>,
    mut seen: impl FnMut(),
) -> String {
    let longest = router.limits().bytes;
    let place = router.spill().cloned();
    let mut decoder = match place {
        Some(_) => LineDecoder::following(longest),
        None => LineDecoder::new(longest),
    };
    let mut spill = None;
    let mut buffer = vec![0; READ_BUFFER];
    loop {
        let count = match stream.read(&mut buffer).await {
            Ok(0) => {
                // A last message may lack its newline.
                if let Some(DecodedLine::Whole(line)) = decoder.finish() {
                    router.accept(line, None);
                }
                return "the server closed its output".to_owned();
            }
            Ok(count) => count,
            Err(error) => return format!("cannot read from the server: {error}"),
        };
        seen();
        let mut input = &buffer[..count];
        while let Some(item) = decoder.next(&mut input) {
            match item {
                DecodedLine::Whole(line) => {
                    step_aside(line.len()).await;
                    router.accept(line, None);
                }
                DecodedLine::TooLong { head } => router.too_long(head),
                DecodedLine::Part(bytes) => {
                    if let Some(place) = &place {
                        let begin = || AnswerSpill::begin(place, router.limits());
                        spill.get_or_insert_with(begin).feed(bytes).await;
                    }
                }
                DecodedLine::PartsEnd => {
                    if let Some(spill) = spill.take() {
                        router.accept_spilled(spill).await;
                    }
                }
            }
        }
        // A server that floods must not keep everyone else on this thread waiting.
        tokio::task::yield_now().await;
    }
}
