//! Which addresses are the open internet's. Everything else is somebody's own network, this machine, or a
//! service that hands out credentials to whoever asks from the right place.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether anybody may be there, and nobody in particular.
pub fn is_public_address(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match (a, b, c) {
        (0 | 10 | 127, ..) => true,
        // Shared by providers with their customers; some clouds have their metadata there.
        (100, 64..=127, _) => true,
        (169, 254, _) => true,
        (172, 16..=31, _) => true,
        (192, 168, _) | (192, 0, 0 | 2) => true,
        // The network in which names inside a sandbox lie, and others for tests and examples.
        (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) => true,
        (224.., ..) => true,
        _ => false,
    };
    !is_special && address != AZURE_METADATA
}

/// Public by its number, and reached from inside that cloud only.
const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Translated to IPv4, or carried over it: what counts is where that leads.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        // Tunnels, benchmarks, identifiers, examples.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nobodys_own_is_public_and_nothing_else() {
        for public in ["1.1.1.1", "140.82.121.4", "172.32.0.1", "100.128.0.1", "2606:4700::1111"] {
            assert!(is_public_address(public.parse().unwrap()), "{public}");
        }
        for own in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "fe80::1",
            "fd00:ec2::254",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2001:0:1::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_public_address(own.parse().unwrap()), "{own}");
        }
        assert!(is_public_address("64:ff9b::101:101".parse().unwrap()));
    }
}
