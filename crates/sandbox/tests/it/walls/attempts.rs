//! Every way out that is known, tried; the table goes to `docs/reports/sandbox.md`.

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use super::{Around, PROBE, has_walls, names, said};

/// Where the script that makes the report wants the lines.
const TABLE: &str = "TOOLGATE_PROBE_TABLE";

#[tokio::test]
async fn nothing_that_is_tried_gets_out() {
    if !has_walls().await {
        return;
    }
    let lines = attempt(&Around::new()).await;
    if let Some(table) = std::env::var_os(TABLE) {
        std::fs::File::create(table).unwrap().write_all(lines.as_bytes()).unwrap();
    }
}

/// What the probe says that it tried; none of it was possible.
pub(super) async fn attempt(around: &Around) -> String {
    let (tcp4, tcp6) = (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("[::1]:0"));
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    tcp4.set_nonblocking(true).unwrap();
    let folder = around.folder.path().to_str().unwrap();
    let name = format!("toolgate-probe-{}", folder.replace('/', "-"));
    let address = SocketAddr::from_abstract_name(name.as_bytes()).unwrap();
    let abstract_listener = UnixListener::bind_addr(&address).unwrap();
    let listener = UnixListener::bind(around.at("outside/socket")).unwrap();
    for one in [&abstract_listener, &listener] {
        one.set_nonblocking(true).unwrap();
    }
    let outside = crate::running(&["stay"]).await;
    let (pid, port4) = (outside.0.pid().to_string(), tcp4.local_addr().unwrap().port().to_string());
    let port6 = tcp6.as_ref().map_or(1, |tcp| tcp.local_addr().unwrap().port()).to_string();
    let port_udp = udp.local_addr().unwrap().port().to_string();
    let args = ["attempts", folder, &pid, &port4, &port6, &port_udp, &name];
    let (lines, exit) = said(around, &around.command(&PROBE, &args)).await;
    assert!(exit.is_success(), "{exit}\n{lines}");
    let lines = lines + &names::attempted(around.outer).await;
    let attempts: Vec<&str> = lines.lines().collect();
    assert!(attempts.len() >= 80, "{} attempts\n{lines}", attempts.len());
    let done: Vec<&&str> = attempts.iter().filter(|line| line.contains("\tDONE\t")).collect();
    assert!(done.is_empty(), "{done:#?}");
    assert!(around.is_untouched());
    // What was sent and not answered would be seen here.
    let nobody = "nobody called";
    assert!(tcp4.accept().is_err(), "{nobody}");
    assert!(abstract_listener.accept().is_err(), "{nobody}");
    assert!(listener.accept().is_err(), "{nobody}");
    assert!(udp.recv(&mut [0; 8]).is_err(), "{nobody}");
    lines
}
