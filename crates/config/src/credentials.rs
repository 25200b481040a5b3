//! Credentials that stand in an entry as they are. Into a file that others get with a project goes the
//! name of a variable instead.
//!
//! What counts as one: a value under a name for secrets, and a word that looks like a well-known token.
//! In doubt a variable costs a person one line; a token in a repository costs more.

use serde_json::{Map, Value};
use toolgate_types::{EnvName, Secret, is_sensitive_name, visible};

/// A credential that was taken out of an entry.
#[derive(Debug, Clone)]
pub struct TakenCredential {
    /// The variable that is named in its place.
    pub variable: String,
    /// Where it stood in the entry.
    pub key: String,
    pub value: Secret,
}

impl TakenCredential {
    /// What stays out of a project's file, and the line that gives it to the server all the same. The
    /// value is where it was; here it is not repeated.
    pub fn how_to_give_it(&self) -> String {
        let Self { variable, key, .. } = self;
        format!(
            "a credential stays out of the project's file; give it with: export {variable}=<{}>",
            visible(key)
        )
    }
}

/// How the tokens of well-known services begin.
const TOKEN_STARTS: [&str; 14] = [
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "npm_",
    "tgt_",
    "eyJhbGci",
];

/// A shorter word is no token.
const SHORTEST: usize = 16;

/// Puts names of variables in the place of credentials; what was taken out.
pub fn take_out_credentials(id: &str, entry: &mut Map<String, Value>) -> Vec<TakenCredential> {
    let mut taking = CredentialTaking { id, taken: Vec::new() };
    taking.env(entry);
    taking.headers(entry);
    taking.args(entry);
    taking.text(entry, "url");
    if let Some(Value::Object(oauth)) = entry.get_mut("oauth") {
        taking.text(oauth, "client_secret");
    }
    taking.taken
}

struct CredentialTaking<'a> {
    id: &'a str,
    taken: Vec<TakenCredential>,
}

impl CredentialTaking<'_> {
    fn env(&mut self, entry: &mut Map<String, Value>) {
        let Some(Value::Object(env)) = entry.get_mut("env") else { return };
        let is_one = |name: &str, value: &Value| {
            EnvName::parse(name).is_ok()
                && value.as_str().is_some_and(|text| is_credential(name, text))
        };
        let names: Vec<String> = env
            .iter()
            .filter(|(name, value)| is_one(name, value))
            .map(|(name, _)| name.clone())
            .collect();
        for name in &names {
            if let Some(Value::String(text)) = env.shift_remove(name) {
                self.take(name.clone(), format!("env.{name}"), &text);
            }
        }
        if env.is_empty() {
            entry.shift_remove("env");
        }
        if let (false, Value::Array(passed)) =
            (names.is_empty(), entry.entry("env_vars").or_insert_with(|| Value::Array(Vec::new())))
        {
            passed.extend(names.into_iter().map(Value::String));
        }
        if entry.get("env_vars").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            entry.shift_remove("env_vars");
        }
    }

    fn headers(&mut self, entry: &mut Map<String, Value>) {
        let Some(Value::Object(headers)) = entry.get_mut("headers") else { return };
        for (name, value) in headers {
            let Value::String(text) = value else { continue };
            if !is_credential(name, text) {
                continue;
            }
            let (scheme, secret) = match text.split_once(' ') {
                Some((scheme @ ("Bearer" | "bearer" | "Basic" | "Token" | "token"), secret)) => {
                    (format!("{scheme} "), secret.to_owned())
                }
                _ => (String::new(), text.clone()),
            };
            let what = if scheme.is_empty() { name.as_str() } else { "token" };
            let variable = self.variable(what);
            *text = format!("{scheme}${{{variable}}}");
            self.take(variable, format!("headers.{name}"), &secret);
        }
    }

    /// Words that are tokens, and what follows an option for one.
    fn args(&mut self, entry: &mut Map<String, Value>) {
        let Some(Value::Array(args)) = entry.get_mut("args") else { return };
        let mut option: Option<String> = None;
        for (index, word) in args.iter_mut().enumerate() {
            let Value::String(text) = word else { continue };
            let before = option.take();
            if let Some((name, value)) = text.split_once('=')
                && is_credential(name.trim_start_matches('-'), value)
            {
                let variable = self.variable(name.trim_start_matches('-'));
                let (name, value) = (name.to_owned(), value.to_owned());
                *text = format!("{name}=${{{variable}}}");
                self.take(variable, format!("args[{index}]"), &value);
            } else if text.starts_with('-') {
                option = Some(text.trim_start_matches('-').to_owned());
            } else if is_credential(before.as_deref().unwrap_or_default(), text) {
                let variable = self.variable(before.as_deref().unwrap_or("token"));
                let value = std::mem::replace(text, format!("${{{variable}}}"));
                self.take(variable, format!("args[{index}]"), &value);
            }
        }
    }

    /// One text: a secret as a whole, or an address with a password or a token in it.
    fn text(&mut self, table: &mut Map<String, Value>, key: &str) {
        let Some(Value::String(text)) = table.get_mut(key) else { return };
        if key != "url" {
            if is_credential(key, text) {
                let variable = self.variable(key);
                let value = std::mem::replace(text, format!("${{{variable}}}"));
                self.take(variable, format!("oauth.{key}"), &value);
            }
            return;
        }
        let mut found = Vec::new();
        if let Some((_, rest)) = text.split_once("://")
            && let Some((userinfo, _)) =
                rest.split(['/', '?']).next().unwrap_or_default().rsplit_once('@')
        {
            let password = userinfo.split_once(':').map_or(userinfo, |(_, password)| password);
            found.push(("password".to_owned(), password.to_owned()));
        }
        let query = text.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split(['&', '#']).filter_map(|pair| pair.split_once('=')) {
            if is_credential(name, value) {
                found.push((name.to_owned(), value.to_owned()));
            }
        }
        for (name, value) in found.into_iter().filter(|(_, value)| is_literal(value)) {
            let variable = self.variable(&name);
            *text = text.replace(&value, &format!("${{{variable}}}"));
            self.take(variable, "url".to_owned(), &value);
        }
    }

    fn take(&mut self, variable: String, key: String, value: &str) {
        // As it is in the environment: in an entry a dollar before a brace stands twice.
        let value = Secret::new(value.replace("$${", "${"));
        self.taken.push(TakenCredential { variable, key, value });
    }

    /// `<SERVER>_<WHAT>`, different from those that were taken for something else.
    fn variable(&self, what: &str) -> String {
        let plain = |text: &str| {
            let plain =
                |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
            text.chars().map(plain).collect::<String>()
        };
        let what = plain(what);
        let start = format!("{}_{}", plain(self.id), what.trim_start_matches("X_"));
        let start = match start.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("MCP_{start}"),
            false => start,
        };
        let is_taken = |name: &String| self.taken.iter().any(|one| one.variable == *name);
        let more = (2_u32..).map(|number| format!("{start}_{number}"));
        let mut names = std::iter::once(start.clone()).chain(more);
        names.find(|name| !is_taken(name)).unwrap_or(start)
    }
}

fn is_credential(name: &str, text: &str) -> bool {
    let is_named = is_sensitive_name(name) && !names_a_place(name) && !is_word(text);
    is_literal(text) && (is_named || is_token(text))
}

/// Whether it says where a secret is, and not what.
fn names_a_place(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace('-', "_");
    let last = name.rsplit('_').next().unwrap_or_default();
    matches!(last, "FILE" | "PATH" | "DIR" | "URL" | "ENV" | "VAR" | "NAME" | "ID")
}

/// Whether it is what it says, and no variable.
fn is_literal(text: &str) -> bool {
    !text.trim().is_empty() && !text.replace("$${", "").contains("${")
}

/// What people write under such names that is no secret.
fn is_word(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "0" | "1" | "none" | "no" | "yes"
    )
}

fn is_token(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    text.len() >= SHORTEST
        && TOKEN_STARTS.iter().any(|start| text.starts_with(start))
        && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests;
