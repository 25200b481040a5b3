//! What this process and the daemon say to each other about an errand. Both are the same program, and
//! of the same version, or they say nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toolgate_config::{McpConfigLoadResult, VariableNames};
use toolgate_types::LogLevel;

use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::verbatim::Verbatim;

/// An errand, and all that the daemon has to know to run it as this process would.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sent<E> {
    pub(crate) version: String,
    pub(crate) standpoint: Standpoint,
    /// Somebody sees what servers report.
    pub(crate) is_watched: bool,
    /// Somebody can be asked.
    pub(crate) answers: bool,
    /// What servers are asked to say.
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) errand: E,
}

/// What decides which configuration counts, and whose it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Standpoint {
    pub(crate) folder: PathBuf,
    /// The project file that was named.
    pub(crate) config: Option<PathBuf>,
    /// The variables that name a project's configuration, or are one.
    pub(crate) project: BTreeMap<String, String>,
    /// Those that the configuration names, set or not.
    pub(crate) variables: BTreeMap<String, Option<String>>,
    /// The person's own file and the folder of their state. A daemon that has others is not asked.
    pub(crate) own: (Option<PathBuf>, PathBuf),
}

impl Standpoint {
    /// That of this process, with the configuration that counts for it.
    pub(crate) fn of(
        loaded: &McpConfigLoadResult,
        surroundings: &Surroundings,
    ) -> Result<Self, Failure> {
        let variable = |name: &str| surroundings.variables.get(name).cloned();
        let project = [VariableNames::PROJECT_FILE, VariableNames::INLINE_JSON];
        let project = project.iter().flat_map(|names| [names.own, names.alias]);
        let project = project.filter_map(|name| Some((name.to_owned(), variable(name)?)));
        let variables = loaded.variables.iter().map(|name| (name.clone(), variable(name)));
        Ok(Self {
            folder: surroundings.cwd.clone(),
            config: surroundings.options().path,
            project: project.collect(),
            variables: variables.collect(),
            own: (loaded.global_file.clone(), surroundings.state_folder()?),
        })
    }
}

/// What came of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended<P, T> {
    Done(P),
    NotDone(T),
    /// The daemon is not the one to ask; why.
    Elsewhere(String),
}

/// What the person sees meanwhile.
#[derive(Serialize, Deserialize)]
pub(crate) struct Doing {
    pub(crate) what: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) report: Verbatim,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Log {
    pub(crate) server: String,
    pub(crate) message: Verbatim,
}

/// Something that the person should know.
#[derive(Serialize, Deserialize)]
pub(crate) struct Remark {
    pub(crate) words: String,
}

/// Whether a call may be made: the form that says which one.
#[derive(Serialize, Deserialize)]
pub(crate) struct Approving {
    pub(crate) form: Verbatim,
}

/// What a server wants to know of a person.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) server: String,
    pub(crate) params: Option<Verbatim>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) answer: Verbatim,
}

pub(crate) const DOING: &str = "host.doing";
pub(crate) const REPORT: &str = "host.report";
pub(crate) const LOG: &str = "host.log";
pub(crate) const ASK: &str = "host.ask";
pub(crate) const APPROVE: &str = "host.approve";
pub(crate) const REMARK: &str = "host.remark";
