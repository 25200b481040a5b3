//! The addresses that names have inside a sandbox: handed out in order, known both ways.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use toolgate_types::config::HostName;

/// More names than a program has a reason to look up.
const MOST_NAMES: usize = 4096;

/// A network of addresses that lead to the sandbox itself.
#[derive(Debug)]
pub struct AddressPool {
    network: u32,
    names: Vec<HostName>,
    numbers: HashMap<HostName, u32>,
}

impl Default for AddressPool {
    fn default() -> Self {
        Self::at(Self::NETWORK.0)
    }
}

impl AddressPool {
    /// With how many bits: for tests of networks, so that nobody else's host is there.
    pub const NETWORK: (Ipv4Addr, u32) = (Ipv4Addr::new(198, 18, 0, 0), 15);

    /// With the first names right behind this address.
    pub fn at(network: Ipv4Addr) -> Self {
        Self { network: network.to_bits(), names: Vec::new(), numbers: HashMap::new() }
    }

    /// The address of a name, the same each time; `None` where there are too many.
    pub(super) fn address_of(&mut self, name: &HostName) -> Option<Ipv4Addr> {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None if self.names.len() >= MOST_NAMES => return None,
            None => {
                self.names.push(name.clone());
                let number = u32::try_from(self.names.len()).ok()?;
                self.numbers.insert(name.clone(), number);
                number
            }
        };
        self.network.checked_add(number).map(Ipv4Addr::from_bits)
    }

    pub(super) fn name_of(&self, address: Ipv4Addr) -> Option<&HostName> {
        let number = address.to_bits().checked_sub(self.network)?.checked_sub(1)?;
        self.names.get(usize::try_from(number).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_handed_out_in_order_and_known_both_ways() {
        let mut pool = AddressPool::default();
        let name = |text: &str| HostName::parse(text).unwrap();
        let first = Ipv4Addr::new(198, 18, 0, 1);
        assert_eq!(pool.address_of(&name("a.example.com")), Some(first));
        assert_eq!(pool.address_of(&name("b.example.com")), Some(Ipv4Addr::new(198, 18, 0, 2)));
        assert_eq!(pool.address_of(&name("A.example.com.")), Some(first));
        assert_eq!(pool.name_of(first), Some(&name("a.example.com")));
        for stranger in ["198.18.0.0", "198.18.0.3", "127.0.0.1", "255.255.255.255", "0.0.0.0"] {
            assert_eq!(pool.name_of(stranger.parse().unwrap()), None);
        }
    }

    #[test]
    fn a_program_that_looks_up_everything_gets_no_more_room() {
        let mut pool = AddressPool::default();
        let name = |number: usize| HostName::parse(&format!("n{number}.example.com")).unwrap();
        let found = (0..MOST_NAMES + 10).filter_map(|number| pool.address_of(&name(number)));
        assert_eq!(found.count(), MOST_NAMES);
        assert!(pool.address_of(&name(7)).is_some(), "known ones stay");
    }
}
