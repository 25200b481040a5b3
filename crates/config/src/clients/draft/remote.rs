//! How a server is reached: the transport its client means, its address, its headers.

use serde_json::{Map, Value as Json};

use super::{DraftTransport, ServerDraft};
use crate::clients::note::NoteKind;
use crate::place::DocumentPlace;

impl ServerDraft<'_> {
    /// The word most clients use for a transport.
    pub(in crate::clients) fn kind_word(&mut self, at: &DocumentPlace<'_>) {
        match at.node.string() {
            Some("stdio") => self.kind(at, DraftTransport::Stdio),
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => {
                self.kind(at, DraftTransport::Http);
            }
            Some("sse") => self.kind(at, DraftTransport::Sse),
            _ => self.refuse_at(at, "none of `stdio`, `http` and `sse`"),
        }
    }

    pub(in crate::clients) fn kind(&mut self, at: &DocumentPlace<'_>, kind: DraftTransport) {
        self.kind = Some(kind);
        // Without `transport`, a URL means HTTP that falls back to SSE.
        self.map(at, if kind == DraftTransport::Auto { "url" } else { "transport" });
    }

    /// The address; `kind` is what its key means in this client.
    pub(in crate::clients) fn url(&mut self, at: &DocumentPlace<'_>, kind: DraftTransport) {
        if let Some(url) = self.text(at) {
            self.put(at, "url", url);
        }
        self.address_kind = Some(kind);
    }

    /// Headers. A value that is a variable is named instead of written.
    pub(in crate::clients) fn headers(&mut self, at: &DocumentPlace<'_>) {
        if at.node.table().is_none() {
            return self.refuse_at(at, "expected a table of headers");
        }
        let mut headers = Map::new();
        for (name, value) in at.members() {
            let Some(written) = self.written(&value) else { continue };
            let is_authorization = name.eq_ignore_ascii_case("authorization");
            if let Some(variable) = written.sole_reference() {
                self.put_in("env_headers", name, variable);
                self.map(&value, "env_headers");
            } else if is_authorization && let Some(variable) = written.bearer_reference() {
                self.put(&value, "bearer_token_env", variable);
            } else if let Some(text) = self.render(&value, &written) {
                headers.insert(name.to_owned(), Json::String(text));
            }
        }
        if !headers.is_empty() {
            self.put(at, "headers", headers);
        }
    }

    /// Headers whose values are the names of variables.
    pub(in crate::clients) fn env_headers(&mut self, at: &DocumentPlace<'_>) {
        if at.node.table().is_none() {
            return self.refuse_at(at, "expected a table of headers");
        }
        for (name, value) in at.members() {
            if let Some(variable) = self.variable_name(&value) {
                self.put_in("env_headers", name, variable);
                self.map(at, "env_headers");
            }
        }
    }

    /// Says the transport once all keys are known, and drops what it has no use for.
    pub(in crate::clients) fn settle_transport(&mut self) {
        let by_key = match (self.address_kind, self.entry.contains_key("command")) {
            (Some(kind), _) => Some(kind),
            (None, true) => Some(DraftTransport::Stdio),
            (None, false) => None,
        };
        let Some(kind) = self.kind.or(by_key) else { return };
        let word = match kind {
            DraftTransport::Stdio => Some("stdio"),
            DraftTransport::Http => Some("http"),
            DraftTransport::Sse => Some("sse"),
            DraftTransport::Auto => None,
        };
        if let Some(word) = word {
            self.entry.insert("transport".to_owned(), Json::from(word));
        }
        if kind != DraftTransport::Stdio {
            self.drop_environment();
        }
    }

    fn drop_environment(&mut self) {
        for key in ["env", "env_vars"] {
            if self.entry.shift_remove(key).is_some() {
                self.mapped.retain(|(_, to)| to != key);
                let message = "a remote server has no environment".to_owned();
                self.note(NoteKind::NotMapped, &self.at.clone(), message);
            }
        }
    }
}
