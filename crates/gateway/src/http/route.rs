//! The addresses of a gateway.

use toolgate_types::RoleId;

/// What a path leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HttpRoute<'a> {
    Mcp { workspace: Option<&'a str>, role: Option<RoleId> },
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
        let role = match parts.next() {
            None => None,
            Some(role) => Some(RoleId::parse(role).ok()?),
        };
        parts.next().is_none().then_some(Self::Mcp { workspace, role })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_exactly() {
        let role = |name| Some(RoleId::parse(name).unwrap());
        let mcp = |workspace, role| Some(HttpRoute::Mcp { workspace, role });
        assert_eq!(HttpRoute::of("/mcp"), mcp(None, None));
        assert_eq!(HttpRoute::of("/mcp/reviewer"), mcp(None, role("reviewer")));
        assert_eq!(HttpRoute::of("/w/x1/mcp"), mcp(Some("x1"), None));
        assert_eq!(HttpRoute::of("/w/x1/mcp/reviewer"), mcp(Some("x1"), role("reviewer")));
        assert_eq!(HttpRoute::of("/healthz"), Some(HttpRoute::Health));
        for odd in ["", "/", "mcp", "/mcp/", "/mcp//x", "/mcp/a/b", "/w/mcp", "/w//mcp", "/MCP"] {
            assert_eq!(HttpRoute::of(odd), None, "{odd}");
        }
    }
}
