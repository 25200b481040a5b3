//! What a local server is started with.

use serde_json::{Map, Value as Json};
use toolgate_types::EnvName;

use super::ServerDraft;
use super::lists::items;
use crate::clients::note::NoteKind;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

impl ServerDraft<'_> {
    pub(in crate::clients) fn command(&mut self, at: &DocumentPlace<'_>) {
        if let Some(command) = self.text(at) {
            self.put(at, "command", command);
        }
    }

    /// A program and its arguments in one array.
    pub(in crate::clients) fn command_line(&mut self, at: &DocumentPlace<'_>) {
        let Some(words) = items(at) else { return self.command(at) };
        let Some((program, rest)) = words.split_first() else {
            return self.refuse_at(at, "the command is empty");
        };
        if let Some(command) = self.text(program) {
            self.put(at, "command", command);
        }
        if !rest.is_empty() {
            let args: Vec<String> = rest.iter().filter_map(|word| self.text(word)).collect();
            self.put(at, "args", args);
        }
    }

    pub(in crate::clients) fn args(&mut self, at: &DocumentPlace<'_>) {
        let Some(words) = items(at) else {
            return self.refuse_at(at, "expected a list of arguments");
        };
        if !words.is_empty() {
            let args: Vec<String> = words.iter().filter_map(|word| self.text(word)).collect();
            self.put(at, "args", args);
        }
    }

    pub(in crate::clients) fn cwd(&mut self, at: &DocumentPlace<'_>) {
        if let Some(cwd) = self.text(at) {
            self.put(at, "cwd", cwd);
        }
    }

    /// Variables of the program. One that is passed on under its own name needs no value.
    pub(in crate::clients) fn env(&mut self, at: &DocumentPlace<'_>) {
        if at.node.table().is_none() {
            return self.refuse_at(at, "expected a table of variables");
        }
        let mut env = Map::new();
        for (name, value) in at.members() {
            if matches!(value.node.value, ConfigValue::Null) {
                let message = "a variable is taken away by leaving it out".to_owned();
                self.note(NoteKind::NotMapped, &value, message);
                continue;
            }
            let Some(written) = self.written(&value) else { continue };
            if written.sole_reference() == Some(name) {
                self.pass_on(&value, name);
            } else if let Some(text) = self.render(&value, &written) {
                env.insert(name.to_owned(), Json::String(text));
            }
        }
        if !env.is_empty() {
            self.put(at, "env", env);
        }
    }

    fn pass_on(&mut self, at: &DocumentPlace<'_>, name: &str) {
        let names = self.entry.entry("env_vars").or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(names) = names
            && !names.iter().any(|known| known == name)
        {
            names.push(Json::String(name.to_owned()));
        }
        self.map(at, "env_vars");
    }

    /// A key that holds a variable's name instead of a value.
    pub(in crate::clients) fn variable_name(&mut self, at: &DocumentPlace<'_>) -> Option<String> {
        let name = at.node.string().filter(|name| EnvName::parse(name).is_ok());
        let Some(name) = name else {
            // People put the secret itself here, so it is not repeated.
            self.refuse_at(at, "expected the name of a variable");
            return None;
        };
        if !self.scene.request.variables.contains_key(name) {
            let is_surely_a_name =
                name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            let shown = if is_surely_a_name { name } else { "the variable it names" };
            let message = format!("to be given: {shown} is not set here");
            self.note(NoteKind::ToBeGiven, at, message);
        }
        Some(name.to_owned())
    }

    /// Variables passed on by name: the names, or tables that hold one.
    pub(in crate::clients) fn env_vars(&mut self, at: &DocumentPlace<'_>) {
        let Some(variables) = items(at) else {
            return self.refuse_at(at, "expected a list of names");
        };
        for item in variables {
            let place = crate::clients::scene::child(&item, "name").unwrap_or(item);
            if let Some(name) = self.variable_name(&place) {
                self.pass_on(&place, &name);
            }
        }
        if self.entry.contains_key("env_vars") {
            self.mapped.retain(|(from, _)| !from.starts_with("env_vars["));
            self.map(at, "env_vars");
        }
    }
}
