//! An attack as its file says it.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attack {
    pub(super) tries: String,
    pub(super) by: By,
    pub(super) must: String,
    #[serde(default)]
    pub(super) needs: Vec<String>,
    #[serde(default)]
    pub(super) config: String,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) servers: BTreeMap<String, ScriptedServer>,
    /// Remote servers that want a login.
    #[serde(default)]
    pub(super) logins: BTreeMap<String, super::login::HostileLogin>,
    pub(super) step: Vec<AttackStep>,
}

/// Who tries it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    Model,
    Client,
    Clone,
    Server,
    Program,
    Network,
    Tampering,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedServer {
    #[serde(default)]
    pub(super) keys: String,
    #[serde(default = "no_items")]
    pub(super) tools: String,
    pub(super) resources: Option<String>,
    pub(super) instructions: Option<String>,
    #[serde(default)]
    pub(super) says: String,
    /// How often it asks its caller something before it says that.
    #[serde(default)]
    pub(super) asks: usize,
}

fn no_items() -> String {
    "[]".to_owned()
}

#[derive(Debug, Deserialize)]
pub(super) struct AttackStep {
    #[serde(flatten)]
    pub(super) deed: Deed,
    #[serde(flatten)]
    pub(super) expected: super::expected::Expected,
    /// What to keep of what is looked at, for later steps: the word after this text.
    #[serde(default)]
    pub(super) keep: BTreeMap<String, String>,
    /// How often it is done, one time after the other.
    #[serde(default = "once")]
    pub(super) times: usize,
}

fn once() -> usize {
    1
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(super) enum Deed {
    Run {
        args: Vec<String>,
        #[serde(default)]
        input: String,
    },
    Terminal {
        args: Vec<String>,
        #[serde(default)]
        types: String,
    },
    Shell {
        script: String,
    },
    #[serde(rename = "shell at terminal")]
    ShellAtTerminal {
        script: String,
        #[serde(default)]
        types: String,
    },
    Window {
        #[serde(default)]
        args: Vec<String>,
        #[serde(default)]
        asks: bool,
    },
    #[serde(rename = "agent runs")]
    AgentRuns {
        args: Vec<String>,
    },
    Send {
        method: Option<String>,
        params: Option<String>,
        /// Instead of both: the line as it stands.
        line: Option<String>,
    },
    Call {
        params: String,
    },
    Waiting,
    Asked,
    Says {
        result: String,
    },
    Approve {
        #[serde(default)]
        args: Vec<String>,
        types: Option<String>,
    },
    Answer,
    Reached {
        server: String,
    },
    Serve {
        #[serde(default)]
        args: Vec<String>,
    },
    Http {
        #[serde(default = "post")]
        method: String,
        #[serde(default = "mcp")]
        path: String,
        #[serde(default)]
        headers: Vec<String>,
        #[serde(default)]
        body: String,
    },
    #[serde(rename = "caller runs")]
    CallerRuns {
        args: Vec<String>,
    },
    Login {
        server: String,
        /// What the person pastes, one after the other.
        #[serde(default = "as_it_came")]
        pastes: Vec<String>,
    },
    Write {
        path: String,
        text: String,
    },
}

fn post() -> String {
    "POST".to_owned()
}

fn as_it_came() -> Vec<String> {
    vec!["{back}".to_owned()]
}

fn mcp() -> String {
    "/mcp".to_owned()
}
