//! A process that connects to nothing can give up the network for itself.

use std::io;

/// Gives up every socket but those of this machine, for this thread and whatever it starts from now on; so it
/// comes before there are others. There is no way back.
pub fn forgo_network() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        nix::sys::prctl::set_no_new_privs()?;
        crate::reap::refuse_network_sockets()?;
        Ok(())
    }
    #[cfg(not(target_os = "linux"))]
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;

    use super::*;

    /// In a thread of its own, since there is no way back.
    #[test]
    fn sockets_of_this_machine_are_left_and_no_others() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let refused = |result: io::Result<()>| {
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        };
        let tried = std::thread::spawn(move || {
            TcpStream::connect(address).unwrap();
            forgo_network().unwrap();
            refused(TcpStream::connect(address).map(drop));
            refused(TcpListener::bind("127.0.0.1:0").map(drop));
            refused(UdpSocket::bind("[::1]:0").map(drop));
            UnixStream::pair().unwrap();
            // Neither has what is started now.
            let heir = std::thread::spawn(move || TcpStream::connect(address).map(drop));
            refused(heir.join().unwrap());
        });
        tried.join().unwrap();
        TcpStream::connect(address).unwrap();
    }
}
