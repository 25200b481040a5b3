//! The file of a machine's administrator: which servers may be used at all, which tools nobody
//! calls, and which always need a person.
//!
//! It is no layer: nothing is merged into it, nothing in it is expanded, and no variable names
//! another place for it. A file that cannot be read as a whole is an error, never an empty one.

use std::path::Path;

use serde::Deserialize;
use toolgate_types::config::{CallRule, RuleEffect};
use toolgate_types::{ConfigSource, Layer, LayerGrade, NameError, Origin, Pattern};

use crate::lock::definition_hash;
use crate::raw::RawCallRule;

/// Where it is.
pub const ADMINISTRATOR_FILE: &str = "/etc/toolgate/policy.toml";

/// What the file says.
#[derive(Debug, Clone, Default)]
pub struct AdministratorFile {
    /// All servers where there is no such list, none where it is empty.
    pub allowed_servers: Option<Vec<AllowedServer>>,
    pub deny_tools: Vec<Pattern>,
    pub force_approval: Vec<Pattern>,
    /// Rules about calls, which ask and deny.
    pub rules: Vec<CallRule>,
    /// The place of each list.
    pub origins: Vec<Origin>,
}

/// A kind of server that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedServer {
    /// A program and the arguments it begins with.
    Command(Vec<String>),
    /// An address, and everything below it.
    Url(String),
}

/// Why the file says nothing that can be relied on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct AdministratorError {
    path: String,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAdministrator {
    #[serde(default = "first")]
    version: u32,
    allowed_servers: Option<Vec<RawAdministratorServer>>,
    #[serde(default)]
    deny_tools: Vec<String>,
    #[serde(default)]
    force_approval: Vec<String>,
    #[serde(default)]
    policy: RawAdministratorPolicy,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAdministratorPolicy {
    #[serde(default)]
    rules: Vec<RawCallRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAdministratorServer {
    command: Option<Vec<String>>,
    url: Option<String>,
}

fn first() -> u32 {
    1
}

/// Reads the file; `None` if there is none.
pub fn read_administrator(path: &Path) -> Result<Option<AdministratorFile>, AdministratorError> {
    let failed = |why: String| AdministratorError { path: path.display().to_string(), why };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    parse(&text, path).map(Some).map_err(failed)
}

fn parse(text: &str, path: &Path) -> Result<AdministratorFile, String> {
    let raw: RawAdministrator = toml::from_str(text).map_err(|error| error.to_string())?;
    let RawAdministrator { version, allowed_servers, deny_tools, force_approval, policy } = raw;
    if version != 1 {
        return Err(format!("version {version} is not known here; this program knows 1"));
    }
    let allowed =
        allowed_servers.map(|all| all.into_iter().map(RawAdministratorServer::meant).collect());
    let origin = |key: &str| Origin {
        layer: Layer::Global,
        grade: LayerGrade::Person,
        source: std::sync::Arc::new(ConfigSource::File(path.to_owned())),
        key: key.to_owned(),
        line: line_of(text, key),
    };
    Ok(AdministratorFile {
        allowed_servers: allowed.transpose()?,
        deny_tools: patterns("deny_tools", &deny_tools)?,
        force_approval: patterns("force_approval", &force_approval)?,
        rules: policy.rules.into_iter().map(call_rule).collect::<Result<_, _>>()?,
        origins: ["allowed_servers", "deny_tools", "force_approval", "policy.rules"]
            .map(origin)
            .to_vec(),
    })
}

impl RawAdministratorServer {
    fn meant(self) -> Result<AllowedServer, String> {
        match self {
            Self { command: Some(words), url: None } if !words.is_empty() => {
                Ok(AllowedServer::Command(words))
            }
            Self { command: None, url: Some(url) } => Ok(AllowedServer::Url(url)),
            _ => {
                Err("an allowed server has either a `command` with a program or a `url`".to_owned())
            }
        }
    }
}

/// One that allows is an error: an administrator takes away, and what runs unasked is the person's to
/// say.
fn call_rule(raw: RawCallRule) -> Result<CallRule, String> {
    let RawCallRule { tool, when, definition, then } = raw;
    let wrong = |why: &str| format!("`policy.rules` of `{tool}`: {why}");
    if then == RuleEffect::Allow {
        return Err(wrong("a rule of this file asks or denies, and allows nothing"));
    }
    let hash = definition.as_deref().map(definition_hash);
    if hash == Some(None) {
        return Err(wrong("`definition` is not `sha256:` and 64 hexadecimal digits"));
    }
    let when = when.unwrap_or_default().into_iter().collect();
    let pattern = Pattern::parse(&tool).map_err(|error| wrong(&error.to_string()))?;
    Ok(CallRule { tool: pattern, when, definition: hash.flatten(), then })
}

fn patterns(key: &str, texts: &[String]) -> Result<Vec<Pattern>, String> {
    let parse = |text: &String| Pattern::parse(text);
    let parsed: Result<Vec<_>, NameError> = texts.iter().map(parse).collect();
    parsed.map_err(|error| format!("`{key}`: {error}"))
}

/// The line that a key stands in, from 1; the first where it cannot be found.
fn line_of(text: &str, key: &str) -> usize {
    let stands = |line: &str| line.trim_start().trim_start_matches('[').starts_with(key);
    text.lines().position(stands).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<AdministratorFile, String> {
        parse(text, Path::new("policy.toml"))
    }

    #[test]
    fn what_is_allowed_denied_and_asked_for_is_read() {
        let text = "# ours\ndeny_tools = [\"*delete*\"]\nforce_approval = [\"github:push_*\"]\n\n\
                    [[allowed_servers]]\ncommand = [\"npx\", \"-y\", \"@ours/server\"]\n\n\
                    [[allowed_servers]]\nurl = \"https://tools.example.com/mcp\"\n";
        let file = read(text).unwrap();
        assert_eq!(file.deny_tools[0].as_str(), "*delete*");
        assert_eq!(file.force_approval[0].as_str(), "github:push_*");
        let allowed = file.allowed_servers.unwrap();
        let words = ["npx", "-y", "@ours/server"].map(str::to_owned).to_vec();
        assert_eq!(allowed[0], AllowedServer::Command(words));
        assert_eq!(allowed[1], AllowedServer::Url("https://tools.example.com/mcp".to_owned()));
        let lines: Vec<_> = file.origins.iter().map(|origin| origin.line).collect();
        assert_eq!(lines, [5, 2, 3, 1]);
    }

    #[test]
    fn rules_about_calls_ask_and_deny() {
        let text = "\n[[policy.rules]]\ntool = \"fetch:*\"\nwhen = { url = \"http://169.254.*\" }\n\
                    then = \"deny\"\n[[policy.rules]]\ntool = \"push\"\nthen = \"ask\"\n";
        let file = read(text).unwrap();
        let effects: Vec<_> = file.rules.iter().map(|rule| rule.then).collect();
        assert_eq!(effects, [RuleEffect::Deny, RuleEffect::Ask]);
        assert_eq!(file.rules[0].when[0].0, "url");
        assert_eq!(file.origins.last().map(|origin| origin.line), Some(2));
    }

    #[test]
    fn an_empty_list_allows_no_server_and_a_missing_one_all() {
        assert_eq!(read("allowed_servers = []").unwrap().allowed_servers, Some(Vec::new()));
        assert_eq!(read("").unwrap().allowed_servers, None);
    }

    #[test]
    fn anything_that_is_not_understood_is_an_error_and_never_nothing() {
        for bad in [
            "deny_tool = [\"x\"]",
            "deny_tools = \"x\"",
            "deny_tools = [\"\"]",
            "version = 2",
            "[[allowed_servers]]\ncommand = []",
            "[[allowed_servers]]\nurl = \"https://a\"\ncommand = [\"x\"]",
            "[[allowed_servers]]\nname = \"x\"",
            "[[policy.rules]]\ntool = \"x\"\nthen = \"allow\"",
            "[[policy.rules]]\ntool = \"x\"\nthen = \"deny\"\nwhn = {}",
            "[[policy.rules]]\ntool = \"x\"\nthen = \"deny\"\ndefinition = \"x\"",
            "[policy]\ndeny_tools = [\"x\"]",
            "[[rules]]\ntool = \"x\"\nthen = \"deny\"",
            "not toml",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_says_nothing_and_one_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_administrator(&folder.path().join("none")).unwrap().is_none());
        assert!(read_administrator(folder.path()).is_err(), "a folder");
    }
}
