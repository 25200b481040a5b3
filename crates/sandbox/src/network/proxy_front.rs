//! An HTTP proxy for programs that honour proxy variables. It ends in the same decision as every other
//! connection, and a program is told why it was refused.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
use toolgate_types::config::RequestedHost;

use super::guarded_copy::copy_guarded;
use super::proxy_head::{LONGEST_HEAD, ProxyRequest, ProxyRequestKind, end_of_head, parse};
use toolgate_types::NetworkRefusal;

/// How long a program may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves one connection of a program to its proxy. `connect` decides and dials, and tells what it decided;
/// an error here is about the connection itself.
pub async fn serve_proxy<S, O>(
    mut program: S,
    connect: impl AsyncFnOnce(&RequestedHost, u16) -> Result<O, NetworkRefusal>,
) -> Result<(), NetworkRefusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
    O: AsyncRead + AsyncWrite + Unpin,
{
    let Ok(Some((request, rest))) = timeout(PATIENCE, read_request(&mut program)).await else {
        refuse(&mut program, "400 Bad Request", &NetworkRefusal::Garbled).await;
        return Err(NetworkRefusal::Garbled);
    };
    let ProxyRequest { host, port, kind } = request;
    let mut server = match connect(&host, port).await {
        Ok(server) => server,
        Err(refusal) => {
            let status = match refusal {
                NetworkRefusal::NotReached | NetworkRefusal::NotResolved => "502 Bad Gateway",
                _ => "403 Forbidden",
            };
            refuse(&mut program, status, &refusal).await;
            return Ok(());
        }
    };
    let said = match &kind {
        ProxyRequestKind::Tunnel => {
            program.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await
        }
        ProxyRequestKind::Forward(head) => server.write_all(head).await,
    };
    if said.is_err() {
        return Ok(());
    }
    let name = match (&kind, &host) {
        (ProxyRequestKind::Tunnel, RequestedHost::Name(name)) => Some(name),
        _ => None,
    };
    copy_guarded(program, rest, server, name).await
}

/// The request, and what came behind its head.
async fn read_request(program: &mut (impl AsyncRead + Unpin)) -> Option<(ProxyRequest, Vec<u8>)> {
    let mut bytes = Vec::with_capacity(1024);
    loop {
        if let Some(end) = end_of_head(&bytes) {
            let rest = bytes.split_off(end);
            return parse(&bytes).map(|request| (request, rest));
        }
        if bytes.len() > LONGEST_HEAD {
            return None;
        }
        bytes.reserve(1024);
        if !program.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {
            return None;
        }
    }
}

async fn refuse(program: &mut (impl AsyncWrite + Unpin), status: &str, why: &NetworkRefusal) {
    let words = format!("toolgate: {why}\n");
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        words.len()
    );
    let _ = program.write_all((head + &words).as_bytes()).await;
    let _ = program.shutdown().await;
}
