//! A network of names, behind real walls: what is listed answers, and nothing else is reached.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use toolgate_sandbox::{NetworkListener, SpawnError, WallError};
use toolgate_types::config::{NamedHost, NetworkAccess, OuterWall};
use toolgate_types::{NetworkDecision, NetworkRefusal, NetworkVerdict};

use super::{Around, PROBE, has_walls, said};

/// Nobody has such a name, anywhere.
const NAME: &str = "listed.toolgate.invalid";

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<NetworkDecision>>);

impl NetworkListener for Heard {
    fn decided(&self, decision: NetworkDecision) {
        self.0.lock().unwrap().push(decision);
    }
}

impl Heard {
    fn of(&self, host: &str, port: Option<u16>) -> Vec<NetworkVerdict> {
        let heard = self.0.lock().unwrap();
        let meant = heard.iter().filter(|one| one.host == host && one.port == port);
        meant.map(|one| one.verdict.clone()).collect()
    }
}

fn named(hosts: &[String]) -> NetworkAccess {
    NetworkAccess::Named(hosts.iter().map(|host| NamedHost::parse(host).unwrap()).collect())
}

/// A listener of the machine that answers whoever speaks, and its port.
fn answering() -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = stream;
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 64]).and_then(|_| stream.write_all(b"here\n"));
            });
        }
    });
    port
}

/// The lines of everything that is tried past a list.
pub(super) async fn attempted(outer: OuterWall) -> String {
    let mut around = Around::new();
    around.outer = outer;
    let (port, other) = (answering(), answering());
    let listed = [NAME.to_owned(), format!("{NAME}:{port}"), "*.wild.toolgate.invalid".to_owned()];
    around.confinement.network = named(&listed);
    let heard = Arc::new(Heard::default());
    around.network_listener = Some(heard.clone());
    let (port, other) = (port.to_string(), other.to_string());
    let args = ["attempts-past-names", NAME, &port, &other];
    let (lines, exit) = said(&around, &around.command(&PROBE, &args)).await;
    assert!(exit.is_success(), "{exit}\n{lines}");
    // What was only looked up, what was dialled, and what the proxy was asked for is all told.
    let refused = |why| vec![NetworkVerdict::Refused(why)];
    let unlisted = "other.toolgate.invalid";
    assert_eq!(heard.of(unlisted, None), refused(NetworkRefusal::NotListed));
    assert_eq!(heard.of(unlisted, Some(443)), refused(NetworkRefusal::NotListed));
    lines
}

#[tokio::test]
async fn what_is_listed_is_reached_and_told() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    let port = answering();
    let listed = format!("127.0.0.1:{port}");
    around.confinement.network = named(std::slice::from_ref(&listed));
    let heard = Arc::new(Heard::default());
    around.network_listener = Some(heard.clone());
    let (words, _) = said(&around, &around.command(&PROBE, &["talk", &listed])).await;
    assert_eq!(words, "true\n");
    let connected = NetworkVerdict::Connected(listed.parse().unwrap());
    assert_eq!(heard.of("127.0.0.1", Some(port)), [connected.clone(), connected]);
}

/// A name is given an address inside, whether or not somebody has it: only the gate asks.
#[tokio::test]
async fn a_name_is_resolved_by_the_gate_alone() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    around.confinement.network = named(&[NAME.to_owned()]);
    let heard = Arc::new(Heard::default());
    around.network_listener = Some(heard.clone());
    let script = format!(
        "cat /etc/resolv.conf /etc/hosts && getent hosts {NAME} && getent hosts other.invalid"
    );
    let (words, exit) = said(&around, &around.command("/bin/sh", &["-c", &script])).await;
    assert_eq!(
        words,
        format!(
            "nameserver 127.0.0.1\n127.0.0.1 localhost\n::1 localhost\n198.18.0.1      {NAME}\n"
        )
    );
    assert!(!exit.is_success(), "nobody told the other name");
    let (words, _) =
        said(&around, &around.command(&PROBE, &["talk", &format!("{NAME}:443")])).await;
    assert_eq!(words, "false\n");
    let unresolved = NetworkVerdict::Refused(NetworkRefusal::NotResolved);
    assert_eq!(heard.of(NAME, Some(443)), [unresolved]);
}

/// Without walls of its own around the network, a list could not be kept.
#[tokio::test]
async fn within_a_container_a_list_is_an_error() {
    let mut around = Around::new();
    around.outer = OuterWall::Container;
    around.confinement.network = named(&[NAME.to_owned()]);
    let refused = around.spawn(&around.command("/bin/true", &[])).await.unwrap_err();
    assert!(matches!(refused, SpawnError::Walls(WallError::NamesInContainer)), "{refused}");
}
