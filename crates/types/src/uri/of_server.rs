//! The address of one server's resource, for a URI that more than one may mean:
//! `toolgate://of/<server>/<URI>`, with the server's own URI as it is.
//!
//! As it is, so that a template can be filled in and a gate can stand behind a gate. A page of an MCP
//! App stays one: what begins with `ui://` does so in its address too.

use super::normal::NormalUri;
use crate::ServerId;

const OF: &str = "toolgate://of/";
const UI_OF: &str = "ui://toolgate/of/";

/// The address of a URI as this server means it.
pub fn uri_of_server(server: &ServerId, uri: &str) -> String {
    let is_page = NormalUri::of(uri).scheme() == Some("ui");
    let start = if is_page { UI_OF } else { OF };
    format!("{start}{server}/{uri}")
}

/// The server and its own URI, where this is such an address.
pub fn split_uri_of_server(uri: &str) -> Option<(ServerId, &str)> {
    let rest = uri.strip_prefix(OF).or_else(|| uri.strip_prefix(UI_OF))?;
    let (server, uri) = rest.split_once('/')?;
    Some((ServerId::parse(server).ok()?, uri))
}

/// Whether a URI is, or looks like, one of the gate's own: no server's means itself.
pub fn is_gate_uri(uri: &str) -> bool {
    let normal = NormalUri::of(uri);
    match normal.scheme() {
        Some("toolgate") => true,
        Some("ui") => normal.authority() == Some("toolgate"),
        _ => false,
    }
}
