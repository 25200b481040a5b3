//! The two eras of the protocol, and what a client says differently in each.

/// The text that a call has for its tool.
pub(crate) const TEXT: &str =
    "is:open label:bug sort:updated in the repository octo/hello, thirty of them";

/// The one tool of the server, of which nothing is known but its arguments.
pub(crate) const TOOL: &str = "note";

/// How the gate lists it.
pub(crate) const LISTED_TOOL: &str = "one__note";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }

    /// What only results of the newer era say of themselves.
    pub(crate) fn result_type(self) -> &'static str {
        match self {
            Self::Legacy => "",
            Self::Modern => r#""resultType":"complete","#,
        }
    }

    /// What each request says of who asks, where no session does.
    pub(crate) fn meta(self) -> &'static str {
        match self {
            Self::Legacy => "",
            Self::Modern => {
                r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#
            }
        }
    }

    /// The headers that repeat what stands in a body.
    pub(crate) fn mirrored(self, method: &str, name: Option<&str>) -> String {
        match (self, name) {
            (Self::Legacy, _) => String::new(),
            (Self::Modern, None) => format!("mcp-method: {method}\r\n"),
            (Self::Modern, Some(name)) => format!("mcp-method: {method}\r\nmcp-name: {name}\r\n"),
        }
    }
}
