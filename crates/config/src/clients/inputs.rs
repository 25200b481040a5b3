//! What VS Code asks its user for (`inputs`), as variables to be set here.
//!
//! The values are in the editor's own keeping and cannot be read; the descriptions can.

use toolgate_types::EnvName;

use crate::tree::{ConfigNode, ConfigValue};

/// One declared input.
#[derive(Debug, Clone)]
pub(super) struct DeclaredInput {
    pub(super) id: String,
    /// The variable that stands for it.
    pub(super) variable: String,
    pub(super) description: Option<String>,
    pub(super) is_password: bool,
}

/// The declared inputs, each with a variable of its own.
pub(super) fn declared(root: &ConfigNode) -> Vec<DeclaredInput> {
    let Some(ConfigValue::Array(items)) = root.get("inputs").map(|inputs| &inputs.value) else {
        return Vec::new();
    };
    let mut inputs: Vec<DeclaredInput> = Vec::new();
    for item in items {
        let Some(id) = item.get("id").and_then(ConfigNode::string) else { continue };
        let base = variable_of(id);
        let mut variable = base.clone();
        let mut count = 1;
        while inputs.iter().any(|input| input.variable == variable) {
            count += 1;
            variable = format!("{base}_{count}");
        }
        let password = item.get("password").map(|password| &password.value);
        inputs.push(DeclaredInput {
            id: id.to_owned(),
            variable,
            description: item.get("description").and_then(ConfigNode::string).map(str::to_owned),
            is_password: matches!(password, Some(ConfigValue::Bool(true))),
        });
    }
    inputs
}

/// `github-token`, `githubToken` → `GITHUB_TOKEN`.
pub(super) fn variable_of(id: &str) -> String {
    let mut name = String::new();
    let mut after_lower = false;
    for c in id.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && after_lower {
                name.push('_');
            }
            name.push(c.to_ascii_uppercase());
            after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
            after_lower = false;
        }
    }
    let name = name.trim_end_matches('_');
    if EnvName::parse(name).is_err() || is_of_the_process(name) {
        return format!("INPUT_{name}").trim_end_matches('_').to_owned();
    }
    name.to_owned()
}

/// Every process has these; an input called `path` means something else.
fn is_of_the_process(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "TERM", "LANG", "TMPDIR",
        "HOSTNAME", "EDITOR",
    ];
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests;
