//! Whether somebody out there is to be reached by a process that has no network: nothing comes of it, and it
//! is worth a word.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use nix::libc;

use super::notice::CreationNotice;

/// Where names are looked up, also where the machine does it on its own loopback.
const NAMES: u16 = 53;

/// Whether a `connect` is to an address beyond the process's own loopback, or for a name.
pub(super) fn leads_out(notice: &CreationNotice) -> bool {
    let mut address = [0; size_of::<libc::sockaddr_in6>()];
    let length = (notice.arguments[2] as usize).min(address.len());
    let Ok(read) = notice.bytes(1, length) else { return false };
    let Some(known) = address.get_mut(..read.len()) else { return false };
    known.copy_from_slice(&read);
    is_out_there(&address)
}

fn is_out_there(address: &[u8; size_of::<libc::sockaddr_in6>()]) -> bool {
    let [f0, f1, p0, p1, rest @ ..] = *address;
    let (family, port) = (u16::from_ne_bytes([f0, f1]), u16::from_be_bytes([p0, p1]));
    let ip = match i32::from(family) {
        libc::AF_INET => {
            let [a, b, c, d, ..] = rest;
            IpAddr::from(Ipv4Addr::new(a, b, c, d))
        }
        libc::AF_INET6 => {
            let mut octets = [0; 16];
            octets.copy_from_slice(&rest[4..20]);
            IpAddr::from(Ipv6Addr::from(octets)).to_canonical()
        }
        _ => return false,
    };
    port == NAMES || !(ip.is_loopback() || ip.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(ip: [u8; 4], port: u16) -> [u8; 28] {
        let mut address = [0; 28];
        address[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
        address[2..4].copy_from_slice(&port.to_be_bytes());
        address[4..8].copy_from_slice(&ip);
        address
    }

    #[test]
    fn only_what_is_beyond_the_loopback_leads_out() {
        assert!(is_out_there(&v4([192, 0, 2, 1], 443)));
        assert!(is_out_there(&v4([127, 0, 0, 53], 53)), "a name is looked up");
        assert!(!is_out_there(&v4([127, 0, 0, 1], 8080)));
        let mut v6 = [0; 28];
        v6[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
        v6[23] = 1;
        assert!(!is_out_there(&v6), "::1");
        v6[8] = 0x20;
        assert!(is_out_there(&v6));
        let mut path = [b'/'; 28];
        path[..2].copy_from_slice(&(libc::AF_UNIX as u16).to_ne_bytes());
        assert!(!is_out_there(&path));
    }
}
