//! What a program prints that the person started with our help, byte by byte: it is theirs, as if they had
//! started it themselves.

use tokio::io::{AsyncRead, AsyncWriteExt as _, copy, stderr, stdin, stdout};

/// Passes on what comes of both streams, until both end.
pub async fn pass_on(out: impl AsyncRead + Unpin, err: impl AsyncRead + Unpin) {
    let out = async {
        let (mut from, mut to) = (out, stdout());
        // Who does not listen any more needs nothing.
        let _ = copy(&mut from, &mut to).await;
        let _ = to.flush().await;
    };
    let err = async {
        let (mut from, mut to) = (err, stderr());
        let _ = copy(&mut from, &mut to).await;
        let _ = to.flush().await;
    };
    tokio::join!(out, err);
}

/// What the person types.
pub fn typed() -> impl AsyncRead + Unpin + Send {
    stdin()
}
