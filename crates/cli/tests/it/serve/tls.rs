//! `serve` where connections are encrypted: by the gate itself, or by a program in front of it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::{Value, json};
use toolgate_testkit::{CertificateAuthority, Certified};

use super::gate::Gate;
use super::greeter;
use crate::support::World;

/// A connection of a client over TLS.
struct EncryptedCaller(BufReader<StreamOwned<ClientConnection, TcpStream>>);

impl EncryptedCaller {
    fn connect(gate: &Gate, client: Arc<ClientConfig>) -> Self {
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(client, name).unwrap();
        let stream = gate.caller().connect();
        Self(BufReader::new(StreamOwned::new(connection, stream)))
    }

    /// Asks, and stays connected.
    fn ask(&mut self, gate: &Gate, method: &str, params: Value) -> std::io::Result<Value> {
        let request = gate.request(method, params).replace("connection: close\r\n", "");
        self.0.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut line) = (0, String::new());
        while line != "\r\n" {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.to_ascii_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body).unwrap())
    }

    fn shown(&self) -> Vec<u8> {
        self.0.get_ref().conn.peer_certificates().unwrap()[0].to_vec()
    }
}

/// Whose gate encrypts by a certificate of this authority's.
fn world(authority: &CertificateAuthority, more: &str) -> World {
    let world = World::new();
    let place = world.home().join("gate");
    fs::create_dir_all(&place).unwrap();
    write(&world, &authority.certify("localhost"));
    let own = format!(
        "[gateway.tls]\ncert = \"{0}/cert.pem\"\nkey = \"~/gate/key.pem\"\n{more}",
        place.display()
    );
    world.write(World::GLOBAL, &own);
    world.local("greet", &greeter());
    world
}

fn write(world: &World, certified: &Certified) {
    fs::write(world.home().join("gate/cert.pem"), &certified.certificate).unwrap();
    fs::write(world.home().join("gate/key.pem"), &certified.key).unwrap();
}

fn greeted(caller: &mut EncryptedCaller, gate: &Gate) -> bool {
    let called = json!({"name": "greet__greet", "arguments": {}});
    let answer = caller.ask(gate, "tools/call", called).unwrap();
    answer["result"]["content"][0]["text"] == "good morning"
}

#[test]
fn an_encrypted_gate_is_called_and_its_certificate_renewed_while_callers_stay() {
    let authority = CertificateAuthority::new();
    let world = world(&authority, "");
    let gate = Gate::on_free_port(&world);
    assert!(gate.greeting.contains(&format!("endpoint  https://{}/mcp\n", gate.address())));
    let mut old = EncryptedCaller::connect(&gate, authority.client(None));
    assert!(greeted(&mut old, &gate));
    write(&world, &authority.certify("localhost"));
    let mut new = EncryptedCaller::connect(&gate, authority.client(None));
    assert!(greeted(&mut new, &gate));
    assert_ne!(old.shown(), new.shown());
    assert!(greeted(&mut old, &gate), "it goes on with what it began with");
}

#[test]
fn who_does_not_encrypt_is_told_so_and_gives_no_token_away() {
    let authority = CertificateAuthority::new();
    let world = world(&authority, "");
    let gate = Gate::on_free_port(&world);
    let mut plain = gate.caller().connect();
    plain.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").unwrap();
    let mut said = Vec::new();
    // What it had not read when it closed may end this with an error; the words came before.
    let _ = plain.read_to_end(&mut said);
    let said = String::from_utf8(said).unwrap();
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");
    assert!(said.ends_with("this address is spoken to by https, not http\n"), "{said}");
}

#[test]
fn a_client_without_a_certificate_of_the_named_authority_is_not_heard() {
    let authority = CertificateAuthority::new();
    let clients = CertificateAuthority::new();
    let named = format!("client_ca = \"{}\"\n", clients.file().display());
    let world = world(&authority, &named);
    let gate = Gate::on_free_port(&world);
    let mut nobody = EncryptedCaller::connect(&gate, authority.client(None));
    nobody.ask(&gate, "tools/list", json!({})).unwrap_err();
    let shown = clients.certify("agent");
    let mut known = EncryptedCaller::connect(&gate, authority.client(Some(&shown)));
    assert!(greeted(&mut known, &gate));
}

#[test]
fn without_its_files_it_does_not_serve_and_says_which() {
    let authority = CertificateAuthority::new();
    let world = world(&authority, "");
    fs::remove_file(world.home().join("gate/key.pem")).unwrap();
    let refused = world.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("gate/key.pem: there is no such file"), "{}", refused.stderr);
}

#[test]
fn production_serves_nothing_that_others_can_read_unless_a_proxy_is_named() {
    let world = World::new();
    let production = "profile = \"production-http\"\n";
    world.write(World::GLOBAL, production);
    let refused = world.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("gateway.tls_proxies"), "{}", refused.stderr);
    world.write(World::GLOBAL, &format!("{production}[gateway]\ntls_proxies = [\"127.0.0.1\"]\n"));
    let gate = Gate::on_free_port(&world);
    assert_eq!(gate.status("/mcp", gate.first_token()), 200);
    gate.end();
    // The same, where the proxy is another than who calls.
    world.write(World::GLOBAL, &format!("{production}[gateway]\ntls_proxies = [\"127.0.0.9\"]\n"));
    let gate = Gate::on_free_port(&world);
    let mut stranger = gate.caller().connect();
    let asked = stranger.write_all(gate.request("tools/list", json!({})).as_bytes());
    let mut said = Vec::new();
    let heard = asked.and_then(|()| stranger.read_to_end(&mut said));
    assert!(said.is_empty(), "{heard:?}: {}", String::from_utf8_lossy(&said));
}
