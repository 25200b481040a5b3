//! Command tools: what runs, what comes of it, and everything that must not.
//!
//! This file holds what its modules share: a folder with an entry in the person's own file.

mod arguments;
mod asking;
mod ending;
mod listing;
mod reloading;
mod results;
mod sessions;
mod settings;
mod starting;
mod streaming;
mod walls;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolgate_config::{LoadOptions, load};
use toolgate_host::{Call, CallOptions, CallTarget, Guard};
use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, SqliteStore};
use toolgate_types::config::Config;
use toolgate_types::{
    Acceptances, CallError, Caller, OperationOutcome, Principal, ServerId, SessionId,
    SessionOverrides,
};

use crate::gate::{Gate, Running, json, within};

/// A workspace, a person's own file, and a host of both.
pub(crate) struct Bench {
    pub(crate) gate: Running,
    pub(crate) store: Arc<SqliteStore>,
    folder: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Bench {
    /// Where everything may be called that is offered.
    pub(crate) fn open(own: &str) -> Self {
        Self::with(Gate::open(), own)
    }

    /// Where the rules decide, and nobody can be asked.
    pub(crate) fn guarded(own: &str) -> Self {
        Self::with(Gate::guarded(Guard::default()), own)
    }

    pub(crate) fn with(gate: Gate, own: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let mut variables = BTreeMap::new();
        variables.insert("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned());
        let store = Arc::new(SqliteStore::open(&folder.path().join("state")).unwrap());
        let config = loaded(folder.path(), own, &variables);
        let (kept, log, own_variables) =
            (Arc::clone(&store), Arc::clone(&store), variables.clone());
        let work = folder.path().join("work");
        let gate = gate
            .building(|host| host.store(kept).audit(log).workspace(work).variables(own_variables))
            .configured(|known| *known = config)
            .run();
        Self { gate, store, folder, variables }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Another file of the person's, and other variables.
    pub(crate) async fn reload(&self, own: &str, variables: &[(&str, &str)]) {
        let mut all = self.variables.clone();
        all.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let config = loaded(self.folder.path(), own, &all);
        self.gate.host.reload(&config, &Acceptances::default(), Some(all)).await;
    }

    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> Result<Value, CallError> {
        self.call_with(tool, arguments, CallOptions::default()).await
    }

    pub(crate) async fn call_with(
        &self,
        tool: &str,
        arguments: &str,
        options: CallOptions,
    ) -> Result<Value, CallError> {
        let target = CallTarget::exact(ServerId::local(), tool);
        let call = Call::new(target).arguments(json(arguments)).options(options);
        match within(self.gate.host.call(call)).await? {
            OperationOutcome::Done(done) => Ok(serde_json::from_str(done.result.get()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// The text of all that a call gives back.
    pub(crate) async fn says(&self, tool: &str, arguments: &str) -> String {
        text(&self.call(tool, arguments).await.unwrap())
    }

    /// The bodies of the records of calls that ended, oldest first.
    pub(crate) async fn records(&self) -> Vec<Value> {
        self.gate.host.close_all().await;
        let all = AuditQuery { limit: 1000, ..AuditQuery::default() };
        let mut rows = self.store.audit(all).await.unwrap();
        rows.sort_by_key(|row| row.sequence);
        let ended = rows.iter().filter(|row| row.entry.kind == AuditKind::End);
        ended.map(|row| serde_json::from_str(&row.entry.body).unwrap()).collect()
    }
}

fn loaded(folder: &Path, own: &str, variables: &BTreeMap<String, String>) -> Config {
    let file = folder.join("own.toml");
    std::fs::write(&file, own).unwrap();
    let mut options = LoadOptions::new(folder.join("work"));
    options.env.extend(variables.clone());
    options.env.insert("TOOLGATE_GLOBAL_CONFIG".to_owned(), file.display().to_string());
    let loaded = load(&options);
    let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let mut config = loaded.config;
    // Who answers here answers at once, and is a person all the same.
    config.approval.fastest_answer = std::time::Duration::ZERO;
    config
}

/// The entry of a tool that runs a script, with more of it.
pub(crate) fn script(name: &str, script: &str, more: &str) -> String {
    let script = serde_json::to_string(script).unwrap();
    format!(
        "[tools.{name}]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script}, \"sh\"]\n\
         sandbox_profile = \"none\"\n{more}\n"
    )
}

pub(crate) fn text(result: &Value) -> String {
    let items = result["content"].as_array().unwrap();
    items.iter().map(|item| item["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A caller in a session that changes this.
pub(crate) fn session(cwd: Option<&str>, env: &[(&str, &str)]) -> CallOptions {
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let overrides = SessionOverrides::new(cwd.map(str::to_owned), env).unwrap();
    let caller = Caller {
        session: Some(SessionId("s-1".to_owned())),
        overrides: overrides.map(Arc::new),
        ..Caller::new(Principal::local_user(), "/")
    };
    CallOptions { caller: Some(caller.into()), ..CallOptions::default() }
}

/// Whether a process with this number is there.
pub(crate) fn is_there(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
