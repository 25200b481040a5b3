//! Whom the login at a server may reach.
//!
//! Where a login leads is the server's word, so it leads to the open internet and nowhere else: not to
//! this machine, not into a private network, not to what hands out a cloud's credentials. But where the
//! server itself is, its login may be too; and what a person wrote down is the person's.

use std::collections::BTreeSet;
use std::net::IpAddr;

use http::Uri;
use toolgate_types::config::RemoteServer;
use toolgate_types::{Endpoint, is_public_address};

/// The rule for one server.
#[derive(Debug, Clone, Default)]
pub(crate) struct DialRule {
    /// The server's own host, and those that a person named for its login; in lower case.
    named: BTreeSet<String>,
    /// The server's own.
    own: String,
}

impl DialRule {
    pub(crate) fn of(remote: &RemoteServer) -> Self {
        let oauth = remote.oauth.as_ref();
        let written = oauth.into_iter().flat_map(|oauth| {
            [&oauth.authorization_url, &oauth.token_url, &oauth.registration_url]
        });
        Self::naming(&remote.endpoint, written.flatten())
    }

    /// For one that is at this place, where a person named these too.
    pub(crate) fn naming<'e>(
        own: &Endpoint,
        written: impl IntoIterator<Item = &'e Endpoint>,
    ) -> Self {
        let host = |endpoint: &Endpoint| {
            endpoint.url().host_str().unwrap_or_default().to_ascii_lowercase()
        };
        let own = host(own);
        let mut named: BTreeSet<String> = written.into_iter().map(host).collect();
        named.insert(own.clone());
        Self { named, own }
    }

    pub(crate) fn own_host(&self) -> &str {
        &self.own
    }

    /// Whether this address of a host may be dialled. `own` are the addresses of the server itself.
    pub(crate) fn allows(&self, host: &str, address: IpAddr, own: &[IpAddr]) -> bool {
        let address = address.to_canonical();
        if is_public_address(address) {
            return true;
        }
        // A name that leads to where clouds hand out credentials is never the server's own place; who
        // means that address writes it as one.
        if is_nobodys(address) {
            return host_address(host) == Some(address) && self.named.contains(host);
        }
        let is_own = |own: &IpAddr| {
            let own = own.to_canonical();
            own == address || own.is_loopback() && address.is_loopback()
        };
        self.named.contains(host) || own.iter().any(is_own)
    }
}

/// The host of a URI as it is compared: in lower case, an address without brackets.
pub(crate) fn host_of(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default().to_ascii_lowercase();
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

/// The address that a host is written as.
pub(crate) fn host_address(host: &str) -> Option<IpAddr> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

/// Link-local and the like: no machine that somebody calls by its name.
fn is_nobodys(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_multicast()
        }
        IpAddr::V6(address) => {
            address.is_unicast_link_local() || address.is_unspecified() || address.is_multicast()
        }
    }
}
