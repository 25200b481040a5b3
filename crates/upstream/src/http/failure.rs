//! Why an HTTP exchange did not happen, told from the chain of causes that libraries report.

use std::error::Error;
use std::io;

/// What kept a request from being answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpFailure {
    #[error("the host name cannot be resolved")]
    Dns,
    #[error("the connection was refused")]
    Refused,
    #[error("the host cannot be reached: {0}")]
    Unreachable(String),
    #[error("TLS failed: {0}")]
    Tls(String),
    #[error("the connection was lost")]
    Lost,
    #[error("the proxy cannot be reached: {0}")]
    ProxyUnreachable(Box<Self>),
    #[error("the proxy {0}")]
    ProxyRefused(&'static str),
    #[error("the answer is not HTTP: {0}")]
    NotHttp(String),
    #[error("{0}")]
    Setup(String),
}

impl HttpFailure {
    /// Whether the same request may succeed a little later.
    pub fn may_retry(&self) -> bool {
        match self {
            Self::Dns | Self::Refused | Self::Unreachable(_) | Self::Lost => true,
            Self::ProxyUnreachable(why) => why.may_retry(),
            Self::Tls(_) | Self::ProxyRefused(_) | Self::NotHttp(_) | Self::Setup(_) => false,
        }
    }

    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        let mut parse = None;
        while let Some(error) = cause {
            if let Some(failure) = Self::of_tunnel(error) {
                return failure;
            }
            if let Some(tls) = error.downcast_ref::<rustls::Error>() {
                return Self::Tls(tls.to_string());
            }
            if let Some(io) = error.downcast_ref::<io::Error>()
                && let Some(failure) = Self::of_io(io)
            {
                return failure;
            }
            if let Some(hyper) = error.downcast_ref::<hyper::Error>()
                && hyper.is_parse()
            {
                parse = Some(hyper.to_string());
            }
            // The resolver's own error type is private; its words are stable.
            if error.to_string().starts_with("dns error") {
                return Self::Dns;
            }
            cause = error.source();
        }
        match parse {
            Some(message) => Self::NotHttp(message),
            None => Self::Lost,
        }
    }

    /// What a proxy did. The error's type is private; its words are stable.
    fn of_tunnel(error: &(dyn Error + 'static)) -> Option<Self> {
        let words = error.to_string();
        let what = words.strip_prefix("tunnel error: ")?;
        Some(match (what, error.source()) {
            (_, Some(why)) => Self::ProxyUnreachable(Box::new(Self::of(why))),
            ("proxy authorization required", None) => {
                Self::ProxyRefused("wants a login (HTTP 407)")
            }
            ("unexpected end of file", None) => Self::ProxyUnreachable(Box::new(Self::Lost)),
            (_, None) => Self::ProxyRefused("refused to connect to the server"),
        })
    }

    fn of_io(error: &io::Error) -> Option<Self> {
        if let Some(inner) = error.get_ref() {
            if let Some(tls) = inner.downcast_ref::<rustls::Error>() {
                return Some(Self::Tls(tls.to_string()));
            }
            if let Some(io) = inner.downcast_ref::<io::Error>() {
                return Self::of_io(io);
            }
        }
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::Refused),
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionAborted => Some(Self::Lost),
            io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::TimedOut
            | io::ErrorKind::AddrNotAvailable => Some(Self::Unreachable(error.kind().to_string())),
            _ => None,
        }
    }
}
