//! What a connection over TCP goes through before anybody speaks HTTP over it.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::net::TcpStream;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

/// The first byte of whatever speaks TLS.
const TLS_HANDSHAKE: u8 = 0x16;

/// Said to a client that speaks to an encrypted port as if it were not.
const WANTS_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
    content-length: 45\r\nconnection: close\r\n\r\nthis address is spoken to by https, not http\n";

/// A connection that may be spoken over.
pub(crate) type EnteredStream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// How connections are kept from being read on their way.
#[derive(Clone)]
pub enum ConnectionEntrance {
    /// They are taken as they come.
    Plain,
    /// Each is encrypted.
    Tls(Arc<dyn TlsTerms>),
    /// Somebody in front did that, who connects from one of these addresses.
    BehindProxies(Arc<[IpAddr]>),
}

/// Who knows by which certificate connections are encrypted.
#[async_trait]
pub trait TlsTerms: Send + Sync {
    /// What counts for a connection that begins now.
    async fn current(&self) -> Arc<ServerConfig>;
}

impl ConnectionEntrance {
    /// Whether somebody at this address may connect at all.
    pub(crate) fn admits(&self, peer: IpAddr) -> bool {
        match self {
            Self::Plain | Self::Tls(_) => true,
            Self::BehindProxies(proxies) => proxies.contains(&peer.to_canonical()),
        }
    }

    /// Whose room a connection from there takes: that of a proxy is everybody's.
    pub(crate) fn counted_as(&self, peer: IpAddr) -> Option<IpAddr> {
        match self {
            Self::Plain | Self::Tls(_) => Some(peer),
            Self::BehindProxies(_) => None,
        }
    }

    /// Whether a refusal can be said before anything is agreed on.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self, Self::Tls(_))
    }

    pub(crate) async fn enter(&self, stream: TcpStream) -> io::Result<EnteredStream> {
        let Self::Tls(terms) = self else { return Ok(Either::Left(stream)) };
        let mut first = [0];
        if stream.peek(&mut first).await? == 1 && first != [TLS_HANDSHAKE] {
            let _ = stream.try_write(WANTS_TLS);
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it does not speak TLS"));
        }
        let acceptor = tokio_rustls::TlsAcceptor::from(terms.current().await);
        let encrypted = acceptor.accept(stream).await?;
        Ok(Either::Right(Box::new(encrypted)))
    }
}

impl fmt::Debug for ConnectionEntrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("Plain"),
            Self::Tls(_) => f.write_str("Tls"),
            Self::BehindProxies(proxies) => f.debug_tuple("BehindProxies").field(proxies).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_proxy_nobody_else_may_connect_and_its_room_is_everybodys() {
        let proxy = "10.0.0.7".parse().unwrap();
        let entrance = ConnectionEntrance::BehindProxies(Arc::new([proxy]));
        assert!(entrance.admits(proxy));
        assert!(entrance.admits("::ffff:10.0.0.7".parse().unwrap()), "the same, as IPv6 says it");
        assert!(!entrance.admits("10.0.0.8".parse().unwrap()));
        assert!(!entrance.admits("127.0.0.1".parse().unwrap()));
        assert_eq!(entrance.counted_as(proxy), None);
        assert_eq!(ConnectionEntrance::Plain.counted_as(proxy), Some(proxy));
    }

    #[test]
    fn the_word_to_who_does_not_encrypt_is_as_long_as_it_says() {
        let said = std::str::from_utf8(WANTS_TLS).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())));
    }
}
