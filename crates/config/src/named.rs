//! The variables that a document takes from its environment, set or not: whoever starts a load
//! elsewhere than where they are set can bring just these.
//!
//! It looks at what is written, also in entries that are wrong: one unset variable must not hide the
//! next. A name too many costs nothing.

use std::collections::BTreeSet;

use toolgate_types::EnvName;

use crate::expand;
use crate::layer::is_expanded;
use crate::tree::{ConfigDocument, ConfigNode, ConfigValue, snake_case};

/// The keys whose values are names of variables, in all shapes of files.
const NAMING: [&str; 5] =
    ["bearer_token_env", "bearer_token_env_var", "env_headers", "env_http_headers", "env_vars"];

pub(crate) fn named_in(document: &ConfigDocument, names: &mut BTreeSet<String>) {
    NameWalk { is_expanded: is_expanded(document), names }.node(&document.root, false);
}

struct NameWalk<'a> {
    is_expanded: bool,
    names: &'a mut BTreeSet<String>,
}

impl NameWalk<'_> {
    fn node(&mut self, node: &ConfigNode, is_name: bool) {
        match &node.value {
            ConfigValue::String(name) if is_name => self.name(name),
            ConfigValue::String(text) if self.is_expanded => {
                expand::named(text).for_each(|name| self.name(name));
            }
            ConfigValue::Array(items) => items.iter().for_each(|item| self.node(item, is_name)),
            ConfigValue::Table(members) => {
                for member in members {
                    let names = is_name || NAMING.contains(&&*snake_case(&member.key));
                    self.node(&member.value, names);
                }
            }
            ConfigValue::Null
            | ConfigValue::Bool(_)
            | ConfigValue::Number(_)
            | ConfigValue::String(_) => {}
        }
    }

    fn name(&mut self, name: &str) {
        if EnvName::parse(name).is_ok() {
            self.names.insert(name.to_owned());
        }
    }
}
