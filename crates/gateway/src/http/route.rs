//! The addresses of a gateway.

use toolgate_host::ActingAs;
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
        // What ends with one server comes first: a role of a workflow that is called `s` is out of
        // reach here.
        let (acting, server) = match rest.as_slice() {
            [acting @ .., ONE_SERVER, server] if acting.len() != 2 => (acting, Some(server)),
            acting => (acting, None),
        };
        let acting = match acting {
            [] => None,
            [role] => Some(ActingAs::Role(RoleId::parse(role).ok()?)),
            [workflow, role, step] => {
                Some(ActingAs::parse(&format!("{workflow}/{role}/{step}")).ok()?)
            }
            _ => return None,
        };
        let server = server.map(|server| ServerId::parse_reference(server)).transpose().ok()?;
        let address = PlaceAddress { acting, server, is_empty: false };
        Some(Self::Mcp { workspace, address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_exactly() {
        let role = |name| Some(ActingAs::parse(name).unwrap());
        let at = |workspace, acting, server: Option<&str>| {
            let server = server.map(|id| ServerId::parse(id).unwrap());
            let address = PlaceAddress { acting, server, is_empty: false };
            Some(HttpRoute::Mcp { workspace, address })
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
        assert_eq!(HttpRoute::of("/mcp/ship/coder/fix"), mcp(None, role("ship/coder/fix")));
        let step = at(Some("x1"), role("ship/coder/fix"), Some("docs"));
        assert_eq!(HttpRoute::of("/w/x1/mcp/ship/coder/fix/s/docs"), step);
        let part = mcp(None, role("ship/coder/fix=files,git"));
        assert_eq!(HttpRoute::of("/mcp/ship/coder/fix=files,git"), part);
        assert_eq!(
            HttpRoute::of("/mcp/a/s/b"),
            at(None, role("a"), Some("b")),
            "a server, no step"
        );
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
            "/mcp/s/s/",
            "/mcp/a/s/b/c",
            "/mcp/a/b/",
            "/mcp/a/b/c/d",
            "/mcp/a/b/s/c",
            "/mcp/a/b/c/s",
            "/mcp/a/b/c/s/d/e",
            "/mcp/a=b",
            "/mcp/a/b/c=",
            "/mcp/a/b/c=d,",
            "/mcp/a/b/c=d=e",
            "/mcp/a=x/b/c",
        ] {
            assert_eq!(HttpRoute::of(odd), None, "{odd}");
        }
    }
}
