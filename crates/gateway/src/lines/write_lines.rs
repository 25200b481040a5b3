//! The way out: whatever is ready goes together, and is flushed once.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use toolgate_wire::line::{end_line, write_line};
use tracing::warn;

use crate::long_reply::LongReplyLine;
use crate::reply_message::LineMessage;

/// How many messages are taken at once.
const AT_ONCE: usize = 64;
/// What is at least so long is written from where it is.
const LONG: usize = 16 * 1024;
/// What the buffer may keep after a lot was written.
const KEPT_CAPACITY: usize = 4 * LONG;

/// Writes each message as a line, until nobody is left who could send one.
pub(super) async fn write(
    mut unsent: mpsc::Receiver<LineMessage>,
    mut stream: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut ready = Vec::new();
    let mut together = Vec::new();
    while unsent.recv_many(&mut ready, AT_ONCE).await > 0 {
        let is_alone = ready.len() == 1;
        for message in ready.drain(..) {
            match message {
                LineMessage::Written(mut message) if is_alone || message.len() >= LONG => {
                    write_out(&mut stream, &mut together).await?;
                    end_line(&mut message, 0);
                    stream.write_all(&message).await?;
                }
                LineMessage::Written(message) => write_line(&mut together, &message),
                LineMessage::Long(line) => {
                    write_out(&mut stream, &mut together).await?;
                    Box::pin(write_long(&mut stream, *line)).await?;
                }
            }
        }
        write_out(&mut stream, &mut together).await?;
        together.shrink_to(KEPT_CAPACITY);
        stream.flush().await?;
    }
    stream.shutdown().await
}

/// A line that broke off is ended, so that it can be told as one that is no message; the client is told
/// then what it was.
async fn write_long(stream: &mut (impl AsyncWrite + Unpin), line: LongReplyLine) -> io::Result<()> {
    let LongReplyLine { mut reading, broken } = line;
    while let Some(bytes) = reading.next().await {
        match bytes {
            Ok(bytes) => stream.write_all(&bytes).await?,
            Err(error) => {
                warn!(%error, "a long result could not be read to its end");
                let mut rest = vec![b'\n'];
                write_line(&mut rest, &broken);
                stream.write_all(&rest).await?;
            }
        }
    }
    Ok(())
}

async fn write_out(
    stream: &mut (impl AsyncWrite + Unpin),
    together: &mut Vec<u8>,
) -> io::Result<()> {
    if !together.is_empty() {
        stream.write_all(together).await?;
        together.clear();
    }
    Ok(())
}
