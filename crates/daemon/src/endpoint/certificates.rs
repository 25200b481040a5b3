//! The certificate by which connections are encrypted: the one that lies in its files when they begin.
//!
//! Certificates are renewed by others, who write the same files anew. So the files are looked at for each
//! connection, which costs little beside its handshake; one that is open keeps what it began with. What
//! cannot be used, as a certificate whose key is not written yet, changes nothing but the log.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use parking_lot::Mutex;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use toolgate_control::CommandFailure;
use toolgate_gateway::{ConnectionEntrance, TlsTerms};
use toolgate_types::config::{HttpEntrance, TlsFiles};

/// What an address is entered by; it is not opened where that cannot be had.
pub(super) fn connection_entrance(
    entrance: &HttpEntrance,
) -> Result<ConnectionEntrance, CommandFailure> {
    match entrance {
        HttpEntrance::Plain => Ok(ConnectionEntrance::Plain),
        HttpEntrance::BehindProxies(proxies) => {
            Ok(ConnectionEntrance::BehindProxies(proxies.as_slice().into()))
        }
        HttpEntrance::Tls(files) => match CurrentCertificate::load(files.clone()) {
            Ok(current) => Ok(ConnectionEntrance::Tls(Arc::new(current))),
            Err(unusable) => {
                Err(CommandFailure::new(unusable.to_string()).hint("see `[gateway.tls]`"))
            }
        },
    }
}

/// A file that no certificate can be had from, and why.
#[derive(Debug)]
struct UnusableFile {
    file: PathBuf,
    why: String,
}

impl fmt::Display for UnusableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connections cannot be encrypted by {}: {}", self.file.display(), self.why)
    }
}

/// What can be seen of files without reading them.
type FileMarks = Vec<Option<(SystemTime, u64, u64)>>;

struct CurrentCertificate {
    files: Arc<TlsFiles>,
    known: Arc<Mutex<KnownTerms>>,
}

struct KnownTerms {
    terms: Arc<ServerConfig>,
    /// Of the files when they were last read, whether they could be used or not.
    marks: FileMarks,
}

impl CurrentCertificate {
    fn load(files: TlsFiles) -> Result<Self, UnusableFile> {
        // Before they are read: what is written meanwhile is read again.
        let marks = marks(&files);
        let terms = Arc::new(terms(&files)?);
        let known = Arc::new(Mutex::new(KnownTerms { terms, marks }));
        Ok(Self { files: Arc::new(files), known })
    }
}

#[async_trait]
impl TlsTerms for CurrentCertificate {
    async fn current(&self) -> Arc<ServerConfig> {
        let (files, known) = (Arc::clone(&self.files), Arc::clone(&self.known));
        // A disk may take its time, and others are served meanwhile.
        let looking = tokio::task::spawn_blocking(move || known.lock().look_again(&files));
        looking.await.unwrap_or_else(|_| Arc::clone(&self.known.lock().terms))
    }
}

impl KnownTerms {
    fn look_again(&mut self, files: &TlsFiles) -> Arc<ServerConfig> {
        let marks = marks(files);
        if marks != self.marks {
            self.marks = marks;
            match terms(files) {
                Ok(terms) => {
                    self.terms = Arc::new(terms);
                    tracing::info!(target: "toolgate", "the certificate of the gate is a new one");
                }
                Err(unusable) => {
                    let why = "the certificate of the gate stays as it is";
                    tracing::warn!(target: "toolgate", %unusable, "{why}");
                }
            }
        }
        Arc::clone(&self.terms)
    }
}

fn marks(files: &TlsFiles) -> FileMarks {
    let TlsFiles { cert, key, client_ca } = files;
    let mark = |file: &PathBuf| {
        let seen = std::fs::metadata(file).ok()?;
        Some((seen.modified().ok()?, seen.len(), number_of(&seen)))
    };
    [cert, key].into_iter().chain(client_ca).map(mark).collect()
}

/// Two files may have been written in the same moment, and be as long as each other.
#[cfg(unix)]
fn number_of(seen: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(seen)
}

#[cfg(not(unix))]
fn number_of(_: &std::fs::Metadata) -> u64 {
    0
}

fn terms(files: &TlsFiles) -> Result<ServerConfig, UnusableFile> {
    let TlsFiles { cert, key, client_ca } = files;
    let because = |file: &Path, why: String| UnusableFile { file: file.to_owned(), why };
    let chain = certificates(cert)?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| because(key, said(error)))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| because(cert, error.to_string()))?;
    let builder = match client_ca {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(file)? {
                roots.add(authority).map_err(|error| because(file, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = verifier.build().map_err(|error| because(file, error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let terms = builder.with_single_cert(chain, secret);
    let mut terms = terms.map_err(|error| because(key, error.to_string()))?;
    terms.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(terms)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, UnusableFile> {
    let because = |why: String| UnusableFile { file: file.to_owned(), why };
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    let certificates: Vec<_> = read.map_err(|error| because(said(error)))?;
    match certificates.is_empty() {
        true => Err(because("it holds no certificate".to_owned())),
        false => Ok(certificates),
    }
}

/// Nothing of what stands in a file.
fn said(error: rustls::pki_types::pem::Error) -> String {
    match error {
        rustls::pki_types::pem::Error::Io(error) => match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::PermissionDenied => "it may not be read".to_owned(),
            _ => error.to_string(),
        },
        rustls::pki_types::pem::Error::NoItemsFound => "nothing of the kind is in it".to_owned(),
        _ => "it is not PEM".to_owned(),
    }
}

#[cfg(test)]
mod tests;
