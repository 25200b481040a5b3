//! Attempts to get past a network of names: to whom the list does not have, around whoever hands out the
//! addresses, and through those who dial.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _, UdpSocket};
use std::time::Duration;

use crate::attempt::Attempts;

const SOON: Duration = Duration::from_secs(5);

/// What is listed: a name, and the port of a listener of the machine for it. Another listener of the
/// machine is on the other port.
pub(crate) fn attempt(attempts: &mut Attempts, name: &str, port: &str, other_port: &str) {
    let mut hear = |what: &str, heard: io::Result<()>| attempts.try_to(what, heard);
    hear("look up a name that is not listed", found("other.toolgate.invalid:443"));
    hear("look up the name above a wildcard", found("wild.toolgate.invalid:443"));
    for (resolver, whose) in [("9.9.9.9:53", "another"), ("127.0.0.53:53", "the machine's")] {
        hear(&format!("ask {whose} resolver"), answered_by(resolver, name));
    }
    hear("reach a machine by its address, on a listed port", talk("192.0.2.1:443"));
    hear("reach the metadata service past a list", talk("169.254.169.254:80"));
    hear("reach this machine on a listed port", talk(&format!("127.0.0.2:{port}")));
    hear(
        "reach this machine on a port that is not listed",
        talk(&format!("127.0.0.1:{other_port}")),
    );
    hear("reach a listed name on another port", talk(&format!("{name}:{other_port}")));
    hear("reach an address that no name has", talk(&format!("198.19.255.254:{port}")));
    hear("send datagrams to a listed name", answered_by(&format!("{name}:{port}"), name));
    let proxied = [
        (
            "a host that is not listed",
            "CONNECT other.toolgate.invalid:443 HTTP/1.1\r\n\r\n".to_owned(),
        ),
        ("this machine", format!("CONNECT 127.0.0.1:{other_port} HTTP/1.1\r\n\r\n")),
        ("a listed name on another port", format!("CONNECT {name}:{other_port} HTTP/1.1\r\n\r\n")),
        ("the metadata service", "GET http://169.254.169.254/latest/ HTTP/1.1\r\n\r\n".to_owned()),
        ("a host in another spelling", format!("CONNECT 2130706433:{other_port} HTTP/1.1\r\n\r\n")),
    ];
    for (whom, request) in proxied {
        hear(&format!("have the proxy reach {whom}"), granted_by_proxy(&request));
    }
}

/// Whether something comes back, first from a name and then from the proxy: what a list is for.
pub(crate) fn talks(name: &str) -> bool {
    talk(name).is_ok() && granted_by_proxy(&format!("CONNECT {name} HTTP/1.1\r\n\r\n")).is_ok()
}

fn found(name: &str) -> io::Result<()> {
    name.to_socket_addrs().map(drop)
}

/// A connection alone says little: somebody took it, and may close it at once.
fn talk(host: &str) -> io::Result<()> {
    let address = host.to_socket_addrs()?.next().ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, SOON)?;
    exchange(&mut stream, b"probe").map(drop)
}

fn granted_by_proxy(request: &str) -> io::Result<()> {
    let proxy = std::env::var("HTTPS_PROXY").map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(proxy.trim_start_matches("http://"))?;
    let answer = exchange(&mut stream, request.as_bytes())?;
    match answer.starts_with(b"HTTP/1.1 200") || answer.starts_with(b"HTTP/1.0 200") {
        true => Ok(()),
        false => Err(io::Error::other(String::from_utf8_lossy(&answer).trim().to_owned())),
    }
}

fn exchange(stream: &mut TcpStream, words: &[u8]) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(SOON))?;
    stream.write_all(words)?;
    let mut answer = [0; 64];
    match stream.read(&mut answer)? {
        0 => Err(io::Error::new(io::ErrorKind::ConnectionAborted, "closed")),
        read => Ok(answer.get(..read).unwrap_or_default().to_vec()),
    }
}

/// A question for the address of a name.
fn answered_by(resolver: &str, name: &str) -> io::Result<()> {
    let mut question = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0".to_vec();
    for label in name.split('.') {
        question.push(u8::try_from(label.len()).unwrap());
        question.extend(label.bytes());
    }
    question.extend(b"\0\0\x01\0\x01");
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.set_read_timeout(Some(SOON))?;
    socket.connect(resolver)?;
    socket.send(&question)?;
    socket.recv(&mut [0; 512]).map(drop)
}
