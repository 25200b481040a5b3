//! A world to load configurations in: a home, a project in it, an environment, and nothing of the
//! machine the tests run on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use toolgate_config::{LoadOptions, McpConfigLoadResult, Problem, Severity, load};
use toolgate_types::SecretSource;
use toolgate_types::config::{Entry, RemoteServer, Server, StdioServer, Transport};

/// `home/` with `home/project/` in it; loads start in the project.
pub(crate) struct World {
    root: PathBuf,
    options: LoadOptions,
    _folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/project")).unwrap();
        let mut options = LoadOptions::new(root.join("home/project"));
        options.env.insert("HOME".into(), root.join("home").display().to_string());
        Self { root, options, _folder: folder }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("home/project")
    }

    /// A file of the project; `../x` puts it beside the project.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.write(path, text);
        self
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The person's own file at its usual place.
    pub(crate) fn global(self, text: &str) -> Self {
        self.file("../.config/toolgate/config.toml", text)
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.options.env.insert(name.into(), value.into());
        self
    }

    /// Secrets that are kept, by name.
    pub(crate) fn secrets(mut self, kept: impl SecretSource + 'static) -> Self {
        self.options.secrets = Some(Arc::new(kept));
        self
    }

    /// `--config PATH`.
    pub(crate) fn path(mut self, path: impl AsRef<Path>) -> Self {
        self.options.path = Some(path.as_ref().to_owned());
        self
    }

    /// The folder a load starts in, relative to the project.
    pub(crate) fn cwd(mut self, path: &str) -> Self {
        self.options.cwd = self.project().join(path);
        fs::create_dir_all(&self.options.cwd).unwrap();
        self
    }

    pub(crate) fn overrides(mut self, overrides: Value) -> Self {
        self.options.overrides = Some(overrides);
        self
    }

    pub(crate) fn strict(mut self) -> Self {
        self.options.strict = true;
        self
    }

    pub(crate) fn options(&self) -> &LoadOptions {
        &self.options
    }

    pub(crate) fn load(&self) -> McpConfigLoadResult {
        load(&self.options)
    }

    /// Loads what must be without any problem, warnings included.
    pub(crate) fn load_clean(&self) -> McpConfigLoadResult {
        let loaded = self.load();
        assert!(loaded.problems.is_empty(), "{}", self.render(&loaded.problems));
        loaded
    }

    /// The problems as a person sees them, with this world's folder as `~world`.
    pub(crate) fn render(&self, problems: &[Problem]) -> String {
        let root = self.root.display().to_string();
        let lines = problems.iter().map(|problem| problem.to_string().replace(&root, "~world"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A project file in the native shape, and nothing else.
pub(crate) fn project_toml(text: &str) -> World {
    World::new().file("toolgate.toml", text)
}

/// What a load found, asked for by id.
pub(crate) trait Found {
    fn entry(&self, id: &str) -> &Entry<Server>;
    fn server(&self, id: &str) -> &Server;
    fn stdio(&self, id: &str) -> &StdioServer;
    fn remote(&self, id: &str) -> &RemoteServer;
    /// The ids of all servers, in their order.
    fn ids(&self) -> Vec<&str>;
    /// Rule and key of every error.
    fn errors(&self) -> Vec<(&str, &str)>;
    /// Rule and key of every warning.
    fn warnings(&self) -> Vec<(&str, &str)>;
}

impl Found for McpConfigLoadResult {
    fn entry(&self, id: &str) -> &Entry<Server> {
        self.config.servers.get(id).unwrap_or_else(|| panic!("no {id}: {:?}", self.problems))
    }

    fn server(&self, id: &str) -> &Server {
        &self.entry(id).value
    }

    fn stdio(&self, id: &str) -> &StdioServer {
        match &self.server(id).transport {
            Transport::Stdio(stdio) => stdio,
            other => panic!("{id} is {other:?}"),
        }
    }

    fn remote(&self, id: &str) -> &RemoteServer {
        match &self.server(id).transport {
            Transport::Remote(remote) => remote,
            other => panic!("{id} is {other:?}"),
        }
    }

    fn ids(&self) -> Vec<&str> {
        self.config.servers.keys().map(|id| id.as_str()).collect()
    }

    fn errors(&self) -> Vec<(&str, &str)> {
        of(&self.problems, Severity::Error)
    }

    fn warnings(&self) -> Vec<(&str, &str)> {
        of(&self.problems, Severity::Warning)
    }
}

/// Rule and key of the problems of one severity.
pub(crate) fn of(problems: &[Problem], severity: Severity) -> Vec<(&str, &str)> {
    let of_severity = problems.iter().filter(|problem| problem.severity == severity);
    of_severity.map(|problem| (problem.rule, problem.key.as_str())).collect()
}
