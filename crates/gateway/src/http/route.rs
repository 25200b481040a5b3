//! The addresses of a gateway.

use toolgate_types::{RoleId, ServerId};

use crate::place::PlaceAddress;

/// What comes before the id of a server that is wanted alone.
const ONE_SERVER: &str = "s";

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HttpRoute<'a> {
    Mcp { workspace: Option<&'a str>, address: PlaceAddress },
    Health,
    Ready,
    Metrics,
}

impl<'a> HttpRoute<'a> {
    pub(crate) fn of(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        match path {
            "healthz" => return Some(Self::Health),
            "readyz" => return Some(Self::Ready),
            "metrics" => return Some(Self::Metrics),
            _ => {}
        }
        let mut parts = path.split('/');
        let first = parts.next()?;
        let workspace = match first {
            "w" => {
                let id = parts.next().filter(|id| !id.is_empty())?;
                (parts.next()? == "mcp").then_some(Some(id))?
            }
            "mcp" => None,
            _ => return None,
        };
        let rest: Vec<&str> = parts.collect();
        let (role, server) = match rest.as_slice() {
            [] => (None, None),
            [role] => (Some(role), None),
            [ONE_SERVER, server] => (None, Some(server)),
            [role, ONE_SERVER, server] => (Some(role), Some(server)),
            _ => return None,
        };
        let role = role.map(|role| RoleId::parse(role)).transpose().ok()?;
        let server = server.map(|server| ServerId::parse_reference(server)).transpose().ok()?;
        Some(Self::Mcp { workspace, address: PlaceAddress { role, server } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_exactly() {
        let role = |name| Some(RoleId::parse(name).unwrap());
        let at = |workspace, role, server: Option<&str>| {
            let server = server.map(|id| ServerId::parse(id).unwrap());
            Some(HttpRoute::Mcp { workspace, address: PlaceAddress { role, server } })
        };
        let mcp = |workspace, role| at(workspace, role, None);
        assert_eq!(HttpRoute::of("/mcp"), mcp(None, None));
        assert_eq!(HttpRoute::of("/mcp/reviewer"), mcp(None, role("reviewer")));
        assert_eq!(HttpRoute::of("/w/x1/mcp"), mcp(Some("x1"), None));
        assert_eq!(HttpRoute::of("/w/x1/mcp/reviewer"), mcp(Some("x1"), role("reviewer")));
        assert_eq!(HttpRoute::of("/healthz"), Some(HttpRoute::Health));
        assert_eq!(HttpRoute::of("/mcp/s"), mcp(None, role("s")), "a role may be called that");
        assert_eq!(HttpRoute::of("/mcp/s/docs"), at(None, None, Some("docs")));
        assert_eq!(HttpRoute::of("/mcp/s/s/docs"), at(None, role("s"), Some("docs")));
        let whole = at(Some("x1"), role("reviewer"), Some("docs"));
        assert_eq!(HttpRoute::of("/w/x1/mcp/reviewer/s/docs"), whole);
        for odd in [
            "",
            "/",
            "mcp",
            "/mcp/",
            "/mcp//x",
            "/mcp/a/b",
            "/w/mcp",
            "/w//mcp",
            "/MCP",
            "/mcp/s/",
            "/mcp/s/a/b",
            "/mcp/s/s/",
            "/mcp/a/S/b",
            "/mcp/a/s/b/c",
        ] {
            assert_eq!(HttpRoute::of(odd), None, "{odd}");
        }
    }
}
