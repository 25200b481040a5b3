//! OAuth facts that are given instead of discovered, in any client's spelling.

use super::ServerDraft;
use super::lists::items;
use crate::clients::note::NoteKind;
use crate::clients::written::WrittenText;
use crate::place::DocumentPlace;
use crate::tree::{ConfigValue, snake_case};

impl ServerDraft<'_> {
    pub(in crate::clients) fn oauth(&mut self, at: &DocumentPlace<'_>) {
        match &at.node.value {
            ConfigValue::Table(_) => {}
            ConfigValue::Bool(true) => return,
            _ => {
                let message = "whether to log in is up to the server here".to_owned();
                return self.note(NoteKind::NotMapped, at, message);
            }
        }
        for (key, value) in at.members() {
            let is_shouted = key.chars().all(|c| !c.is_ascii_lowercase());
            let name = if is_shouted { key.to_ascii_lowercase() } else { snake_case(key) };
            match name.as_str() {
                "client_id" | "resource" => self.oauth_fact(&value, &name),
                "client_secret" | "authorization_url" | "token_url" | "registration_url" => {
                    if let Some(text) = self.text(&value) {
                        self.put_in("oauth", &name, text);
                        self.map(&value, &format!("oauth.{name}"));
                    }
                }
                "scope" | "scopes" => self.oauth_scope(&value),
                "callback_port" => self.oauth_port(&value),
                "enabled" if matches!(value.node.value, ConfigValue::Bool(true)) => {}
                _ => self.not_mapped(&value),
            }
        }
    }

    /// Facts that our own reader takes literally: a variable's value is written out. None of
    /// them is a secret.
    pub(in crate::clients) fn oauth_fact(&mut self, at: &DocumentPlace<'_>, name: &str) {
        let Some(written) = self.written(at) else { return };
        if let Some(text) = self.written_out(at, &written) {
            self.put_in("oauth", name, text);
            self.map(at, &format!("oauth.{name}"));
        }
    }

    /// One text of scopes, or a list of them.
    pub(in crate::clients) fn oauth_scope(&mut self, at: &DocumentPlace<'_>) {
        let scope = match items(at) {
            Some(items) => {
                let scopes: Vec<String> =
                    items.iter().filter_map(|item| item.node.string().map(str::to_owned)).collect();
                scopes.join(" ")
            }
            None => return self.oauth_fact(at, "scope"),
        };
        if !scope.is_empty() {
            self.put_in("oauth", "scope", scope);
            self.map(at, "oauth.scope");
        }
    }

    fn oauth_port(&mut self, at: &DocumentPlace<'_>) {
        let port = match &at.node.value {
            ConfigValue::Number(number) => number.parse::<u16>().ok().filter(|port| *port > 0),
            _ => None,
        };
        match port {
            Some(port) => {
                self.put_in("oauth", "callback_port", port);
                self.map(at, "oauth.callback_port");
            }
            None => self.not_mapped(at),
        }
    }

    fn written_out(&mut self, at: &DocumentPlace<'_>, written: &WrittenText) -> Option<String> {
        let mut names: Vec<&str> = written.references().collect();
        names.dedup();
        if names.is_empty() {
            return Some(written.unescaped(|_| None));
        }
        let variables = self.scene.request.variables;
        if names.iter().any(|name| !variables.contains_key(*name)) {
            self.refuse_at(at, "is taken literally here and cannot wait for a variable");
            return None;
        }
        let message = format!("the value of {} is written out", names.join(", "));
        self.note(NoteKind::Variable, at, message);
        Some(written.unescaped(|name| variables.get(name).map(String::as_str)))
    }
}
