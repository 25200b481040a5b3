//! What a program prints that the person started with our help, byte by byte: it is theirs, as if they had
//! started it themselves.

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, stderr, stdin, stdout};

/// Passes on what comes of both streams, until both end.
pub async fn pass_on(out: impl AsyncRead + Unpin, err: impl AsyncRead + Unpin) {
    tokio::join!(pass(out, stdout()), pass(err, stderr()));
}

/// The same beside our own output: both to standard error.
pub async fn pass_aside(out: impl AsyncRead + Unpin, err: impl AsyncRead + Unpin) {
    tokio::join!(pass(out, stderr()), pass(err, stderr()));
}

async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    // Who does not listen any more needs nothing.
    let _ = copy(&mut from, &mut to).await;
    let _ = to.flush().await;
}

/// What the person types.
pub fn typed() -> impl AsyncRead + Unpin + Send {
    stdin()
}
