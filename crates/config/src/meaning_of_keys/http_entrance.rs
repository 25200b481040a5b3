//! `gateway.tls` and `gateway.tls_proxies`: what a connection goes through first.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use toolgate_types::config::{HttpEntrance, TlsFiles};

use crate::place::DocumentPlace;
use crate::raw::RawTls;
use crate::reader::DocumentReader;

/// What this layer says of it, if anything.
pub(super) fn http_entrance(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    written: (Option<RawTls>, Option<Vec<String>>),
) -> Option<HttpEntrance> {
    match written {
        (None, None) => None,
        (Some(tls), None) => tls_files(reader, &place.at(&["tls"]), tls).map(HttpEntrance::Tls),
        (None, Some(proxies)) => {
            let at = place.at(&["tls_proxies"]);
            let proxies: Vec<IpAddr> =
                proxies.iter().filter_map(|proxy| address(reader, &at, proxy)).collect();
            Some(match proxies.is_empty() {
                true => HttpEntrance::Plain,
                false => HttpEntrance::BehindProxies(proxies),
            })
        }
        (Some(_), Some(_)) => {
            let message = "`tls` and `tls_proxies` are one or the other: who takes the \
                           encryption off, the gate or a program in front of it";
            reader.error(&place.at(&["tls_proxies"]), "two-entrances", message.to_owned());
            None
        }
    }
}

fn tls_files(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    written: RawTls,
) -> Option<TlsFiles> {
    let RawTls { cert, key, client_ca } = written;
    let (Some(cert), Some(key)) = (cert, key) else {
        reader.error(at, "missing-key", "`cert` and `key` are needed".to_owned());
        return None;
    };
    let cert = persons_file(reader, &at.at(&["cert"]), cert);
    let key = persons_file(reader, &at.at(&["key"]), key);
    let client_ca = match client_ca {
        // Without it anybody could connect: a path that cannot be used is not left out.
        Some(written) => Some(persons_file(reader, &at.at(&["client_ca"]), written)?),
        None => None,
    };
    Some(TlsFiles { cert: cert?, key: key?, client_ca })
}

/// A file that a person named: by its whole path, or below the home.
pub(super) fn persons_file(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    written: String,
) -> Option<PathBuf> {
    let written = reader.text(at, written)?;
    let home = reader.sources.variables.get("HOME").map(PathBuf::from);
    let path = match (written.expose().strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => Path::new(written.expose()).to_owned(),
    };
    if !path.is_absolute() {
        let message = "not an absolute path, nor one below the home (`~/…`)".to_owned();
        reader.error(at, "relative-path", message);
        return None;
    }
    Some(path)
}

fn address(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    written: &str,
) -> Option<IpAddr> {
    let parsed = written.parse();
    if parsed.is_err() {
        let message = "not the address of a machine, such as `127.0.0.1` or `10.0.0.7`".to_owned();
        reader.error(at, "bad-address", message);
    }
    parsed.ok()
}

/// Where others than this machine connect and nothing is encrypted.
pub(super) fn warn_of_readable_tokens(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    listen: SocketAddr,
    entrance: &HttpEntrance,
) {
    if *entrance == HttpEntrance::Plain && !listen.ip().is_loopback() {
        let message = "tokens and calls cross the network as anybody can read them".to_owned();
        let help = "set `[gateway.tls]`, or name the proxy in front in `tls_proxies`";
        reader.warn(&place.at(&["listen"]), "plain-listener", message, help);
    }
}
