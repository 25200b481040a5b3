//! Bytes in both directions, a few kilobytes held at a time, once the first of them say the right host.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, split};
use tokio::time::timeout;
use toolgate_types::config::HostName;

use super::client_hello::{FirstBytes, LONGEST_HELLO, SaidServerName, look_at};
use toolgate_types::NetworkRefusal;

/// A first message of TLS that was begun is written in one go.
const HELLO_PATIENCE: Duration = Duration::from_secs(10);

/// How long one direction may stay open when the other has ended.
const HALF_OPEN: Duration = Duration::from_secs(60);

/// Copies until both sides are done. `sent` was read from inside already. Where a name was dialled, a TLS
/// connection must say that name.
pub(super) async fn copy_guarded(
    inside: impl AsyncRead + AsyncWrite,
    sent: Vec<u8>,
    outside: impl AsyncRead + AsyncWrite,
    name: Option<&HostName>,
) -> Result<(), NetworkRefusal> {
    let (mut from_inside, mut to_inside) = split(inside);
    let (mut from_outside, mut to_outside) = split(outside);
    let up = async {
        let first = match name {
            Some(name) => checked(&mut from_inside, sent, name).await?,
            None => sent,
        };
        let copied = async {
            to_outside.write_all(&first).await?;
            copy(&mut from_inside, &mut to_outside).await?;
            to_outside.shutdown().await
        };
        // Whoever ends a connection without a word ends it.
        let _: io::Result<()> = copied.await;
        Ok(())
    };
    let down = async {
        let _ = copy(&mut from_outside, &mut to_inside).await;
        let _ = to_inside.shutdown().await;
    };
    tokio::pin!(up, down);
    tokio::select! {
        ended = &mut up => {
            ended?;
            let _ = timeout(HALF_OPEN, down).await;
            Ok(())
        }
        () = &mut down => timeout(HALF_OPEN, up).await.unwrap_or(Ok(())),
    }
}

/// The first bytes from inside, once they are seen to be for this host, or to be no TLS.
async fn checked(
    from_inside: &mut (impl AsyncRead + Unpin),
    mut first: Vec<u8>,
    name: &HostName,
) -> Result<Vec<u8>, NetworkRefusal> {
    // As long as it likes: in some protocols the server speaks first.
    if first.is_empty() && !read_more(from_inside, &mut first).await {
        return Ok(first);
    }
    let reading = async {
        loop {
            match look_at(&first) {
                FirstBytes::Other => return Ok(first),
                FirstBytes::Hello(said) => return is_for(name, said).map(|()| first),
                FirstBytes::Incomplete if first.len() > LONGEST_HELLO => {
                    return Err(NetworkRefusal::GarbledHello);
                }
                FirstBytes::Incomplete => {}
            }
            if !read_more(from_inside, &mut first).await {
                return Err(NetworkRefusal::GarbledHello);
            }
        }
    };
    timeout(HELLO_PATIENCE, reading).await.unwrap_or(Err(NetworkRefusal::GarbledHello))
}

fn is_for(name: &HostName, said: SaidServerName) -> Result<(), NetworkRefusal> {
    match said {
        SaidServerName::Named(said) if HostName::parse(&said).is_ok_and(|said| said == *name) => {
            Ok(())
        }
        SaidServerName::Named(said) => Err(NetworkRefusal::OtherServerName(said)),
        SaidServerName::None => Err(NetworkRefusal::NoServerName),
        SaidServerName::Garbled => Err(NetworkRefusal::GarbledHello),
    }
}

/// `false` at the end.
async fn read_more(from: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> bool {
    bytes.reserve(4096);
    from.read_buf(bytes).await.is_ok_and(|read| read > 0)
}
