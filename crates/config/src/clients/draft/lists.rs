//! What takes no variables: lists of tools, switches, words for people.

use super::ServerDraft;
use crate::clients::note::NoteKind;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

/// Every item of an array as a place of its own; `None` if it is no array.
pub(in crate::clients) fn items<'a>(at: &DocumentPlace<'a>) -> Option<Vec<DocumentPlace<'a>>> {
    let ConfigValue::Array(items) = &at.node.value else { return None };
    let place = |(index, node): (usize, &'a crate::tree::ConfigNode)| DocumentPlace {
        node,
        offset: node.span.start,
        path: format!("{}[{index}]", at.path),
    };
    Some(items.iter().enumerate().map(place).collect())
}

impl ServerDraft<'_> {
    /// An array of texts that hold no variables, such as names of tools.
    pub(in crate::clients) fn names(&mut self, at: &DocumentPlace<'_>) -> Option<Vec<String>> {
        let names = items(at).and_then(|items| {
            items.iter().map(|item| item.node.string().map(str::to_owned)).collect()
        });
        if names.is_none() {
            self.refuse_at(at, "expected a list of names");
        }
        names
    }

    /// Only these tools. An empty list would hide all of them, which no entry can say.
    pub(in crate::clients) fn allow_tools(&mut self, at: &DocumentPlace<'_>) {
        match self.names(at) {
            Some(names) if names.is_empty() => {
                self.refuse_at(at, "an empty allow list lets no tool through; disable the server");
            }
            Some(names) => self.put(at, "enabled_tools", names),
            None => {}
        }
    }

    /// Never these tools.
    pub(in crate::clients) fn deny_tools(&mut self, at: &DocumentPlace<'_>) {
        match self.names(at) {
            Some(names) if names.is_empty() => {}
            Some(names) => self.put(at, "disabled_tools", names),
            None => {}
        }
    }

    /// Words for people; nothing is expanded in them, here or there.
    pub(in crate::clients) fn description(&mut self, at: &DocumentPlace<'_>) {
        match at.node.string() {
            Some(text) => self.put(at, "description", text),
            None => self.not_mapped(at),
        }
    }

    pub(in crate::clients) fn enabled(&mut self, at: &DocumentPlace<'_>) {
        if self.flag(at) == Some(false) {
            self.put(at, "enabled", false);
        }
    }

    pub(in crate::clients) fn disabled(&mut self, at: &DocumentPlace<'_>) {
        if self.flag(at) == Some(true) {
            self.put(at, "enabled", false);
            self.note(NoteKind::Normalised, at, "`disabled` is `enabled = false` here".to_owned());
        }
    }
}
