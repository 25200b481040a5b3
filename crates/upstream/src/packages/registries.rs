//! Where packages come from, as the person's own settings for their package managers say: never a
//! project's, and never an entry's.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;

use tokio::net::lookup_host;
use toolgate_types::config::{NamedHost, NetworkAccess, PackageSource};
use toolgate_types::{NETWORK_VARIABLES, PROXY_VARIABLES, Variables};
use url::Url;

use super::npm_settings::NpmSettings;
use super::package_error::PackageError;
use super::pypi_settings::PypiSettings;
use super::registry_places::RegistryPlaces;

/// What one package manager of the person goes by.
#[derive(Debug, Clone)]
pub struct Registries {
    pub(super) places: RegistryPlaces,
    /// Settings as its own file has them: certificates, proxies, credentials.
    pub(super) settings: Vec<(String, String)>,
    /// Files that these name.
    pub(super) files: Vec<String>,
    /// Proxies that these name.
    proxies: Vec<String>,
}

impl Registries {
    /// Read from the person's files and variables.
    pub fn of(source: PackageSource, variables: &Variables) -> Self {
        let (places, mut settings, mut files, mut proxies) = match source {
            PackageSource::Npm => {
                let NpmSettings { places, settings, files, proxies } = NpmSettings::of(variables);
                (places, settings, files, proxies)
            }
            PackageSource::PyPi => {
                let PypiSettings { places, settings, files } = PypiSettings::of(variables);
                (places, settings, files, Vec::new())
            }
        };
        for name in NETWORK_VARIABLES {
            match variables.get(name) {
                Some(value) if PROXY_VARIABLES.contains(&name) => proxies.push(value.clone()),
                Some(value) if Path::new(value).is_absolute() => files.push(value.clone()),
                _ => {}
            }
        }
        if source == PackageSource::Npm {
            name_proxies(&mut settings, variables);
        }
        files.retain(|file| Path::new(file).exists());
        Self { places, settings, files, proxies }
    }

    /// The same with the places that were fixed before.
    pub(super) fn at(self, places: RegistryPlaces) -> Self {
        Self { places, ..self }
    }

    /// The hosts, as a person reads them.
    pub fn hosts(&self) -> Vec<String> {
        let hosts = self.urls().into_iter().filter_map(|url| host_of(&url));
        hosts.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn urls(&self) -> Vec<Url> {
        let places = &self.places;
        let others = places.others.iter().map(|(_, url)| url);
        let urls = [&places.main].into_iter().chain(others).filter_map(|url| Url::parse(url).ok());
        let mut urls: Vec<Url> = urls.collect();
        // Its index and its files are two hosts.
        if urls.iter().any(|url| url.host_str() == Some("pypi.org")) {
            urls.extend(Url::parse("https://files.pythonhosted.org").ok());
        }
        urls
    }

    /// What of the network is reached: the registries, and the person's way to them. Their addresses are
    /// listed as well: one may lie in the person's own network, where no name would lead by itself.
    pub(super) async fn network(&self) -> Result<NetworkAccess, PackageError> {
        let proxies = self.proxies.iter().filter_map(|proxy| Url::parse(proxy).ok());
        let mut named = Vec::new();
        for url in self.urls().into_iter().chain(proxies) {
            let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
                return Err(PackageError::Registry(url.to_string()));
            };
            let text = format!("{host}:{port}");
            let parsed = NamedHost::parse(&text);
            named.push(parsed.map_err(|_| PackageError::Registry(text.clone()))?);
            // Where names are not resolved here, whoever dials finds that out.
            for address in lookup_host(&text).await.into_iter().flatten() {
                if is_plausible(address.ip()) {
                    named.extend(NamedHost::parse(&address.to_string()));
                }
            }
        }
        Ok(NetworkAccess::Named(named))
    }
}

/// Behind walls the variables mean the way out of them; what npm's own file says counts more.
fn name_proxies(settings: &mut Vec<(String, String)>, variables: &Variables) {
    let ways = [
        ("https-proxy", ["https_proxy", "HTTPS_PROXY"]),
        ("proxy", ["http_proxy", "HTTP_PROXY"]),
        ("noproxy", ["no_proxy", "NO_PROXY"]),
    ];
    for (key, names) in ways {
        let value = names.iter().find_map(|name| variables.get(*name));
        if let (Some(value), false) = (value, settings.iter().any(|(known, _)| known == key)) {
            settings.push((key.to_owned(), value.clone()));
        }
    }
}

/// No registry stands where a cloud answers questions about its machines, whatever a name says.
fn is_plausible(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !address.is_link_local() && !address.is_unspecified(),
        IpAddr::V6(address) => !address.is_unicast_link_local() && !address.is_unspecified(),
    }
}

/// `host`, or `host:port` where the port is an unusual one.
fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}
