//! Why something is shown or hidden, and allowed, asked for or denied: for the owner of the
//! configuration, never for a caller.

use serde_json::value::RawValue;
use toolgate_guard::{Exposed, Kind, Owner, Ruling};
use toolgate_types::{ListKind, ServerId};

use crate::rulebook::ResolveError;
use crate::{Audience, Host};

/// The reasoning about one tool for one audience.
#[derive(Debug, Clone)]
pub struct Explanation {
    pub exposed: Exposed,
    pub ruling: Ruling,
    /// Whether the server's own word about the tool was there to be looked at.
    pub is_known: bool,
}

impl Host {
    /// What would be decided about a call. Nothing is called; the server is asked for its tools
    /// where they are not known.
    pub async fn explain(
        &self,
        audience: &Audience,
        server: &ServerId,
        tool: &str,
        arguments: Option<&RawValue>,
    ) -> Result<Option<Explanation>, ResolveError> {
        let Some(upstream) = self.inner.servers.get(server) else { return Ok(None) };
        self.refresh(ListKind::Tools, |upstream| upstream.id() == server).await;
        let view = self.view(audience);
        if let Some(error) = view.unresolved() {
            return Err(error.clone());
        }
        let Some(rules) = view.rules() else { return Ok(None) };
        let listing = upstream.known(ListKind::Tools);
        let definition = listing
            .as_ref()
            .and_then(|listing| listing.items.iter().find(|definition| definition.key == tool));
        let exposed = rules.visibility().exposes(Owner::Server(server), Kind::Tool, tool);
        let known = (tool, definition.map(|definition| &**definition));
        let ruling = self.would_rule(rules, &upstream, known, arguments);
        Ok(Some(Explanation { exposed, ruling, is_known: definition.is_some() }))
    }
}
