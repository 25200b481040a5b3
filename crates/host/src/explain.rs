//! Why something is shown or hidden, and allowed, asked for or denied: for the owner of the
//! configuration, never for a caller.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_guard::{LadderRuling, MatterKind, MatterOwner, ToolExposure};
use toolgate_types::config::ToolShaping;
use toolgate_types::{ListKind, ServerId};

use crate::await_lists::patient;
use crate::entry::ToolSource;
use crate::rulebook::ResolveError;
use crate::{Audience, Host, ToolEntry};

/// The reasoning about one tool for one audience.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Whether it is listed, reached through the meta tools, or hidden and why.
    pub exposed: ToolExposure,
    /// Whether a call of it is allowed, asked for or denied, and why.
    pub ruling: LadderRuling,
    /// Whether the server's own word about the tool was there to be looked at.
    pub is_known: bool,
    /// How the entry of the server has it shown and called, where that is not as it is defined.
    pub shaping: Option<Arc<ToolShaping>>,
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
        self.refresh(ListKind::Tools, patient(), |upstream| upstream.id() == server).await;
        let view = self.view(audience);
        if let Some(error) = view.unresolved() {
            return Err(error.clone());
        }
        let Some(rules) = view.rules() else { return Ok(None) };
        let listing = upstream.known(ListKind::Tools);
        let definition = listing
            .as_ref()
            .and_then(|listing| listing.items.iter().find(|definition| *definition.key == *tool));
        let exposed =
            rules.visibility().exposes(MatterOwner::Server(server), MatterKind::Tool, tool);
        let known = (tool, definition.map(|definition| &**definition));
        // As a call would have them; what a call refuses is decided about as it is.
        let meant = definition.and_then(|definition| {
            let (upstream, definition) = (Arc::clone(&upstream), Arc::clone(definition));
            let source = ToolSource::Server { upstream, definition };
            let entry = ToolEntry::new(tool.to_owned(), audience, self.schema_bytes(), source);
            entry.meant_arguments(arguments).ok()?
        });
        let arguments = meant.as_deref().or(arguments);
        let ruling = self.would_rule(rules, &upstream, known, arguments);
        let shaping = upstream.entry().value.shaping(tool).cloned();
        Ok(Some(Explanation { exposed, ruling, is_known: definition.is_some(), shaping }))
    }
}
