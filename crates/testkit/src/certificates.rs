//! A certificate authority of a test's own, and what it certifies.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

/// An authority. Its file is there as long as it is.
pub struct CertificateAuthority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    file: PathBuf,
}

/// A certificate and its key, in PEM.
#[derive(Debug, Clone)]
pub struct Certified {
    pub certificate: String,
    pub key: String,
}

impl Default for CertificateAuthority {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for CertificateAuthority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CertificateAuthority").field("file", &self.file).finish_non_exhaustive()
    }
}

impl CertificateAuthority {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolgate-authority-{}-{number}.pem", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, &pem).unwrap();
        Self { issuer: Issuer::new(params, key), pem, file }
    }

    /// Its own certificate, in a file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Says that somebody is of this name, as a server and as a client.
    pub fn certify(&self, name: &str) -> Certified {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Certified { certificate, key: key.serialize_pem() }
    }

    /// What a server of this name accepts connections with; it speaks these protocols if any.
    pub fn acceptor(&self, name: &str, protocols: &[&str]) -> TlsAcceptor {
        let (chain, key) = self.certify(name).parsed();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }

    /// What a client goes by that believes this authority alone, and shows this certificate if any.
    pub fn client(&self, shown: Option<&Certified>) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        Arc::new(match shown.map(Certified::parsed) {
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).unwrap(),
            None => builder.with_no_client_auth(),
        })
    }
}

impl Certified {
    fn parsed(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap();
        (vec![certificate], PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap())
    }
}

impl Drop for CertificateAuthority {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}
