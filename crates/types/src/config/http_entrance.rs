//! What a connection goes through before HTTP is spoken over it.

use std::net::IpAddr;
use std::path::PathBuf;

/// How connections over TCP are kept from being read on their way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HttpEntrance {
    /// Not at all: whoever is on the way reads the tokens of callers.
    #[default]
    Plain,
    /// Each is encrypted by the gate itself.
    Tls(TlsFiles),
    /// A program in front takes the encryption off; it connects from one of these, and nobody else may.
    BehindProxies(Vec<IpAddr>),
}

/// Where a certificate lies, in PEM; absolute paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The gate's own, and those that lead from it to an authority that clients know.
    pub cert: PathBuf,
    /// The key of the first of them.
    pub key: PathBuf,
    /// Authorities of which one has to have certified a client.
    pub client_ca: Option<PathBuf>,
}

impl HttpEntrance {
    /// The scheme of an address behind it.
    pub fn scheme(&self) -> &'static str {
        match self {
            Self::Plain | Self::BehindProxies(_) => "http",
            Self::Tls(_) => "https",
        }
    }
}
