//! Where a scripted server writes: whole messages, in pieces that need not exist at once.

use async_trait::async_trait;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

const CHUNK: usize = 256 * 1024;

/// A piece of a message.
pub(crate) enum Piece {
    Text(String),
    /// So many letters.
    Filling(usize),
}

/// Takes messages. Who is not listening any more is no error.
#[async_trait]
pub(crate) trait Output: Send + Sync {
    async fn write(&self, message: &[Piece]);

    /// Where one message has a response of its own, ends that; see [`crate::Act::Cut`].
    fn cut(&self) {}
}

/// A message in one piece, for outputs that need it so.
pub(crate) fn joined(message: &[Piece]) -> String {
    let mut whole = String::new();
    for piece in message {
        match piece {
            Piece::Text(text) => whole.push_str(text),
            Piece::Filling(count) => whole.extend(std::iter::repeat_n('x', *count)),
        }
    }
    whole
}

/// One message per line.
pub(crate) struct LineOutput<W> {
    stream: Mutex<W>,
    trickles: bool,
}

impl<W> LineOutput<W> {
    pub(crate) fn new(stream: W, trickles: bool) -> Self {
        Self { stream: Mutex::new(stream), trickles }
    }
}

#[async_trait]
impl<W: AsyncWrite + Unpin + Send> Output for LineOutput<W> {
    async fn write(&self, message: &[Piece]) {
        let mut stream = self.stream.lock().await;
        let written = async {
            for piece in message {
                match piece {
                    Piece::Text(text) if self.trickles => {
                        for byte in text.as_bytes() {
                            stream.write_all(&[*byte]).await?;
                            stream.flush().await?;
                        }
                    }
                    Piece::Text(text) => stream.write_all(text.as_bytes()).await?,
                    Piece::Filling(count) => {
                        let filling = vec![b'x'; CHUNK];
                        let mut left = *count;
                        while left > 0 {
                            let now = left.min(CHUNK);
                            stream.write_all(&filling[..now]).await?;
                            left -= now;
                        }
                    }
                }
            }
            stream.write_all(b"\n").await?;
            stream.flush().await
        };
        let _: std::io::Result<()> = written.await;
    }
}
