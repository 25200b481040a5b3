//! Attempts to reach anything: sockets of every kind, of the machine and beyond it.

use std::io;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream};
use std::path::Path;
use std::time::Duration;

use nix::libc;

use crate::attempt::Attempts;

const SOON: Duration = Duration::from_secs(2);

/// `ports`: of listeners of the machine, TCP on version 4 and 6, UDP; then the name of an abstract one.
pub(crate) fn attempt(attempts: &mut Attempts, around: &Path, ports: &[&str]) {
    let connect = |address: &str| TcpStream::connect_timeout(&address.parse().unwrap(), SOON);
    if let [tcp4, tcp6, udp, name] = ports {
        attempts.try_to("reach the machine's TCP", connect(&format!("127.0.0.1:{tcp4}")));
        attempts.try_to("reach the machine's TCP, version 6", connect(&format!("[::1]:{tcp6}")));
        // Whether it arrived is for the other end to say.
        let sent = UdpSocket::bind("127.0.0.1:0").and_then(|socket| {
            let to: SocketAddr = format!("127.0.0.1:{udp}").parse().unwrap();
            socket.connect(to)?;
            socket.send(b"probe")?;
            socket.set_read_timeout(Some(SOON))?;
            let mut answer = [0; 8];
            socket.recv(&mut answer)
        });
        attempts.try_to("reach the machine's UDP", sent);
        let address = UnixAddress::from_abstract_name(name.as_bytes()).unwrap();
        let reached = UnixStream::connect_addr(&address);
        attempts.try_to("reach an abstract socket", reached);
    }
    attempts.try_to("reach a socket outside", UnixStream::connect(around.join("outside/socket")));
    for path in ["/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"] {
        attempts.try_to(&format!("reach {path}"), UnixStream::connect(path));
    }
    attempts.try_to("reach another machine", connect("192.0.2.1:443"));
    attempts.try_to("reach the metadata service", connect("169.254.169.254:80"));
    let lookup = |_: ()| -> io::Result<()> {
        use std::net::ToSocketAddrs as _;
        "example.com:443".to_socket_addrs().map(drop)
    };
    attempts.try_to("look a name up", lookup(()));
    let kinds = [
        ("open a raw socket", libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        ("open a packet socket", libc::AF_PACKET, libc::SOCK_RAW, 0),
        ("open a netlink socket", libc::AF_NETLINK, libc::SOCK_RAW, 0),
        ("open a vsock socket", libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        ("open a crypto socket", libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
        ("open a bluetooth socket", libc::AF_BLUETOOTH, libc::SOCK_STREAM, 0),
    ];
    for (name, family, kind, protocol) in kinds {
        attempts.call(name, socket(family, kind, protocol));
    }
}

pub(crate) fn reaches(address: &str) -> bool {
    TcpStream::connect_timeout(&address.parse().unwrap(), SOON).is_ok()
}

#[allow(unsafe_code, reason = "kinds that no library makes")]
fn socket(family: i32, kind: i32, protocol: i32) -> i64 {
    // SAFETY: takes numbers only.
    i64::from(unsafe { libc::socket(family, kind, protocol) })
}
