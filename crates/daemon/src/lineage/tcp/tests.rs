//! Who is at the other end, with a process of its own there.
//!
//! The process is this test program again, told by a variable to do nothing but connect.

use std::env;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::*;

const ADDRESS: &str = "TOOLGATE_TEST_CONNECT_TO";
const FILE: &str = "TOOLGATE_TEST_ADDRESS_FILE";

/// Does nothing by itself: it is what the other tests start.
#[test]
fn connects_and_waits_when_asked_to() {
    let Ok(address) = env::var(ADDRESS) else { return };
    let _held = TcpStream::connect(address).unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

/// Ends with its standard input.
fn connecting_to(address: SocketAddr) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "lineage::tcp::tests::connects_and_waits_when_asked_to", "--nocapture"])
        .env(ADDRESS, address.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Other tests have callers at the same time.
fn is_our_caller(process: ProcessIdentity) -> bool {
    let ourselves = std::process::id();
    callers_of(&[ourselves]).get(&ourselves).is_some_and(|callers| callers.contains(&process))
}

/// Does nothing by itself either.
#[test]
fn listens_and_waits_when_asked_to() {
    let Ok(file) = env::var(FILE) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    std::fs::write(file, listener.local_addr().unwrap().to_string()).unwrap();
    println!("listening");
    let _held = listener.accept().unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

#[test]
fn a_server_that_a_gate_connected_to_is_no_caller_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("address");
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "lineage::tcp::tests::listens_and_waits_when_asked_to", "--nocapture"])
        .env(FILE, &file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map(Result::unwrap).any(|line| line.ends_with("listening")));
    let address = std::fs::read_to_string(file).unwrap();
    // As a gate does: it listens itself, and uses a server.
    let _gate = TcpListener::bind("127.0.0.1:0").unwrap();
    let _used = TcpStream::connect(address).unwrap();
    assert!(!is_our_caller(procfs::process(child.id()).unwrap()));
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn the_process_at_the_other_end_is_found_in_either_version_of_the_protocol() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(listener) = TcpListener::bind(address) else {
            eprintln!("NOT TESTED: there is no {address} here");
            continue;
        };
        let mut child = connecting_to(listener.local_addr().unwrap());
        let (stream, peer) = listener.accept().unwrap();
        let own = procfs::process(child.id()).unwrap();
        let ends = [(peer, stream.local_addr().unwrap())];
        assert_eq!(holders(&ends, &[]), [[own]], "{address}");
        // The same where it is known already, by itself or among others.
        let other = procfs::process(std::process::id()).unwrap();
        assert_eq!(holders(&ends, &[other, own]), [[own]], "{address}");
        assert!(is_our_caller(own), "{address}");
        drop(child.stdin.take());
        child.wait().unwrap();
        // It is gone, and nobody has its end of the connection any more.
        assert_eq!(holders(&ends, &[]), [vec![]]);
        assert!(!is_our_caller(own), "{address}");
    }
}

/// A listener for both versions sees an address of the older one in the newer one's form.
#[test]
fn an_address_in_the_form_of_the_other_version_is_the_same_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut child = connecting_to(listener.local_addr().unwrap());
    let (stream, peer) = listener.accept().unwrap();
    let mapped = |address: SocketAddr| {
        let IpAddr::V4(ip) = address.ip() else { unreachable!("{address}") };
        SocketAddr::new(ip.to_ipv6_mapped().into(), address.port())
    };
    let found = holders(&[(mapped(peer), mapped(stream.local_addr().unwrap()))], &[]);
    assert_eq!(found, [[procfs::process(child.id()).unwrap()]]);
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_connection_that_is_not_there_or_comes_from_elsewhere_is_nobodys() {
    let address = |text: &str| text.parse::<SocketAddr>().unwrap();
    assert_eq!(holders(&[(address("127.0.0.1:1"), address("127.0.0.1:2"))], &[]), [vec![]]);
    assert_eq!(holders(&[(address("192.0.2.1:1"), address("127.0.0.1:2"))], &[]), [vec![]]);
    assert_eq!(holders(&[(address("127.0.0.1:1"), address("192.0.2.1:2"))], &[]), [vec![]]);
}

#[cfg(target_endian = "little")]
#[test]
fn lines_are_read_as_the_kernel_writes_them() {
    let (peer, local) =
        (SocketAddr::from(([127, 0, 0, 1], 0x9C40)), SocketAddr::from(([127, 0, 0, 1], 0x1CA4)));
    let line = |from: &str, to: &str, user: u32, number: u64| {
        format!(
            "  12: {from} {to} 01 00000000:00000000 00:00000000 00000000 {user:>5} 0 {number} 1"
        )
    };
    let (from, to) = ("0100007F:9C40", "0100007F:1CA4");
    let read = |line: &str| TcpRow::read(line)?.number_of(&(peer, local), 7);
    assert_eq!(read(&line(from, to, 7, 4711)), Some(4711));
    // Our own end, another user's, one that nobody holds, another port.
    assert_eq!(read(&line(to, from, 7, 4711)), None);
    assert_eq!(read(&line(from, to, 8, 4711)), None);
    assert_eq!(read(&line(from, to, 7, 0)), None);
    assert_eq!(read(&line("0100007F:9C41", to, 7, 4711)), None);
    let mapped = "0000000000000000FFFF00000100007F";
    let six = line(&format!("{mapped}:9C40"), &format!("{mapped}:1CA4"), 7, 4711);
    assert_eq!(read(&six), Some(4711));
    for odd in ["", "sl local_address rem_address", "1: x y", "1: 0100007F:9C40"] {
        assert_eq!(read(odd), None, "{odd}");
    }
    let loopback = address("00000000000000000000000001000000:0001");
    assert_eq!(loopback, Some(SocketAddr::from((Ipv6Addr::LOCALHOST, 1))));
}
