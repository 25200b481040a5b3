//! Which certificate a connection is shown, and who may connect.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};
use toolgate_testkit::{CertificateAuthority, Certified};

use super::*;

struct Place {
    folder: TempDir,
    authority: CertificateAuthority,
}

impl Place {
    /// With a certificate of this name.
    fn new(name: &str) -> Self {
        let place =
            Self { folder: TempDir::new().unwrap(), authority: CertificateAuthority::new() };
        place.write(&place.authority.certify(name));
        place
    }

    fn write(&self, certified: &Certified) {
        let files = self.files();
        std::fs::write(files.cert, &certified.certificate).unwrap();
        std::fs::write(files.key, &certified.key).unwrap();
    }

    fn files(&self) -> TlsFiles {
        let file = |name| self.folder.path().join(name);
        TlsFiles { cert: file("cert.pem"), key: file("key.pem"), client_ca: None }
    }
}

type Ends = (client::TlsStream<DuplexStream>, server::TlsStream<DuplexStream>);

/// Connects, as a client that goes by `client` and calls the server `name`.
async fn connect(
    current: &CurrentCertificate,
    client: Arc<rustls::ClientConfig>,
    name: &'static str,
) -> io::Result<Ends> {
    let (near, far) = duplex(64 * 1024);
    let acceptor = TlsAcceptor::from(current.current().await);
    let name = ServerName::try_from(name).unwrap();
    let connecting = TlsConnector::from(client).connect(name, near);
    tokio::try_join!(connecting, acceptor.accept(far))
}

fn shown(client: &client::TlsStream<DuplexStream>) -> CertificateDer<'static> {
    client.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
}

#[tokio::test]
async fn who_connects_is_shown_what_lies_there_and_who_is_connected_stays() {
    let place = Place::new("gate.example");
    let current = CurrentCertificate::load(place.files()).unwrap();
    let client = place.authority.client(None);
    let (mut old, mut old_server) =
        connect(&current, Arc::clone(&client), "gate.example").await.unwrap();
    place.write(&place.authority.certify("other.example"));
    let (new, _) = connect(&current, Arc::clone(&client), "other.example").await.unwrap();
    assert_ne!(shown(&old), shown(&new));
    connect(&current, client, "gate.example").await.unwrap_err();
    old.write_all(b"still here").await.unwrap();
    old.flush().await.unwrap();
    let mut said = [0; 10];
    old_server.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"still here");
}

#[tokio::test]
async fn a_certificate_whose_key_is_not_there_yet_changes_nothing() {
    let place = Place::new("gate.example");
    let current = CurrentCertificate::load(place.files()).unwrap();
    let client = place.authority.client(None);
    let next = place.authority.certify("gate.example");
    std::fs::write(place.files().cert, &next.certificate).unwrap();
    let (before, _) = connect(&current, Arc::clone(&client), "gate.example").await.unwrap();
    place.write(&next);
    let (after, _) = connect(&current, Arc::clone(&client), "gate.example").await.unwrap();
    assert_ne!(shown(&before), shown(&after));
    std::fs::remove_file(place.files().key).unwrap();
    let (still, _) = connect(&current, client, "gate.example").await.unwrap();
    assert_eq!(shown(&after), shown(&still));
}

#[tokio::test]
async fn where_authorities_are_named_a_client_has_to_be_of_one() {
    let place = Place::new("gate.example");
    let clients = CertificateAuthority::new();
    let client_ca = Some(clients.file().to_owned());
    let current = CurrentCertificate::load(TlsFiles { client_ca, ..place.files() }).unwrap();
    let reaches = async |shown: Option<&Certified>| {
        let client = place.authority.client(shown);
        connect(&current, client, "gate.example").await.is_ok()
    };
    assert!(!reaches(None).await);
    assert!(!reaches(Some(&CertificateAuthority::new().certify("agent"))).await);
    assert!(reaches(Some(&clients.certify("agent"))).await);
}

#[test]
fn what_cannot_be_used_is_named_and_nothing_of_it_said() {
    let place = Place::new("gate.example");
    let files = place.files();
    let why = |files: TlsFiles| {
        let unusable = CurrentCertificate::load(files).map(|_| ()).unwrap_err();
        let place = place.folder.path().display().to_string();
        unusable.to_string().replace(&place, "<folder>")
    };
    let absent = TlsFiles { key: place.folder.path().join("absent"), ..files.clone() };
    let said = "connections cannot be encrypted by <folder>/absent: there is no such file";
    assert_eq!(why(absent), said);
    let swapped = TlsFiles { cert: files.key.clone(), key: files.cert.clone(), client_ca: None };
    let said = "connections cannot be encrypted by <folder>/key.pem: it holds no certificate";
    assert_eq!(why(swapped), said);
    let other = place.authority.certify("gate.example");
    std::fs::write(&files.key, other.key).unwrap();
    assert!(why(files.clone()).starts_with("connections cannot be encrypted by <folder>/key.pem"));
    std::fs::write(&files.key, "hunter2").unwrap();
    assert!(!why(files).contains("hunter2"));
}
