//! A value of a document together with its key path and line.

use std::collections::HashMap;

use crate::tree::{ConfigDocument, ConfigMember, ConfigNode, ConfigValue, is_spelling};

/// Where in a document we stand.
#[derive(Debug, Clone)]
pub(crate) struct DocumentPlace<'a> {
    pub(crate) node: &'a ConfigNode,
    /// Byte offset that names the line: of the key where there is one.
    pub(crate) offset: usize,
    /// Dotted path, as spelt in the document.
    pub(crate) path: String,
}

impl<'a> DocumentPlace<'a> {
    pub(crate) fn root(document: &'a ConfigDocument) -> Self {
        Self { node: &document.root, offset: 0, path: String::new() }
    }

    /// Every key of this table as a place of its own.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a str, DocumentPlace<'a>)> + use<'a> {
        let prefix = self.path.clone();
        let members = self.node.table().unwrap_or_default().iter();
        members.map(move |member| (member.key.as_str(), Self::below(&prefix, member)))
    }

    fn below(prefix: &str, member: &'a ConfigMember) -> Self {
        let key = member.key.as_str();
        Self {
            node: &member.value,
            offset: member.key_span.start,
            path: if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") },
        }
    }

    /// The keys of this table, to look places up by.
    pub(crate) fn by_key(&self) -> HashMap<&'a str, DocumentPlace<'a>> {
        self.members().collect()
    }

    /// One item of this array, or this place where there is no such item.
    pub(crate) fn item(&self, index: usize) -> DocumentPlace<'a> {
        match &self.node.value {
            ConfigValue::Array(items) if index < items.len() => Self {
                node: &items[index],
                offset: items[index].span.start,
                path: format!("{}[{index}]", self.path),
            },
            _ => self.clone(),
        }
    }

    /// The value under one of these snake_case names, however it is spelt; a transport's own keys
    /// may stand inside a `transport` object.
    pub(crate) fn find(&self, names: &[&str]) -> Option<DocumentPlace<'a>> {
        let members = self.node.table()?;
        // Asked for every key of every entry: nothing is made until something is found.
        let named = |members: &'a [ConfigMember]| {
            let is =
                |member: &&ConfigMember| names.iter().any(|name| is_spelling(&member.key, name));
            members.iter().find(is)
        };
        if let Some(found) = named(members) {
            return Some(Self::below(&self.path, found));
        }
        let transport = members.iter().find(|member| member.key == "transport")?;
        let found = named(transport.value.table()?)?;
        Some(Self::below(&Self::below(&self.path, transport).path, found))
    }

    /// Like [`DocumentPlace::find`], falling back to this place for a key that is missing.
    pub(crate) fn at(&self, names: &[&str]) -> DocumentPlace<'a> {
        self.find(names).unwrap_or_else(|| Self {
            path: match names.first() {
                Some(name) if self.path.is_empty() => (*name).to_owned(),
                Some(name) => format!("{}.{name}", self.path),
                None => self.path.clone(),
            },
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests;
