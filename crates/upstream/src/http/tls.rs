//! Which certificates are believed: the system's, and those of a file the entry names.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use super::HttpFailure;

/// How long the system's certificates count as they were read. A daemon runs for weeks, and what its system
/// believes changes in that time.
const COUNT_FOR: Duration = Duration::from_secs(600);

/// The system's certificates, once for all servers: they are many, and a gate knows many servers.
static SYSTEMS: Mutex<Option<(Instant, Arc<RootCertStore>)>> = Mutex::new(None);

fn systems() -> Arc<RootCertStore> {
    let mut known = SYSTEMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, roots)) = known.as_ref().filter(|(read, _)| read.elapsed() < COUNT_FOR) {
        return Arc::clone(roots);
    }
    let mut roots = RootCertStore::empty();
    // One that cannot be read is skipped; the handshake says if it mattered.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let roots = Arc::new(roots);
    *known = Some((Instant::now(), Arc::clone(&roots)));
    roots
}

pub(super) fn client_config(ca_file: Option<&Path>) -> Result<ClientConfig, HttpFailure> {
    let mut roots = systems();
    if let Some(path) = ca_file {
        let roots = Arc::make_mut(&mut roots);
        let unreadable =
            |why: String| HttpFailure::Setup(format!("the `ca_file` cannot be used: {why}"));
        let certificates =
            CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
        let before = roots.len();
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(unreadable("it holds no certificate".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HttpFailure::Setup(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use toolgate_testkit::CertificateAuthority;

    use super::*;

    #[test]
    fn the_systems_certificates_are_read_once_and_an_entrys_own_stay_its_own() {
        let before = systems();
        let count = before.len();
        let authority = CertificateAuthority::new();
        client_config(Some(authority.file())).unwrap();
        let after = systems();
        assert!(Arc::ptr_eq(&before, &after));
        assert_eq!(after.len(), count);
    }
}
