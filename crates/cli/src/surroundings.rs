//! What surrounds a run: working folder, environment, files of each scope, the store.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_assembly::{
    WorkspaceContext, add_own_servers, hidden_places, package_folder, persons_logins,
    withhold_unread,
};
use toolgate_auth::login::ServerLogins;
use toolgate_config::clients::ClientFolders;
use toolgate_config::{
    EditScope, LayerFile, LoadOptions, McpConfigLoadResult, TakenCredential, Variables,
    config_home, load, load_written,
};
use toolgate_control::{RunFolder, state_folder};
use toolgate_daemon::{LogChoice, LogThreshold, PersonSwitches, RunSettings, TestGround};
use toolgate_mask::Masker;
use toolgate_sandbox::SandboxGround;
use toolgate_store::{ProjectRoot, SecretsFile, SqliteStore, Store as _, Switches as _};
use toolgate_types::config::Config;
use toolgate_types::{Acceptances, Layer, SecretSource, SwitchedAway, visible};

use crate::args::{CommonArgs, ScopeArg};
use crate::failure::CliFailure;

pub(crate) struct Surroundings {
    pub(crate) cwd: PathBuf,
    pub(crate) variables: Variables,
    pub(crate) logging: LogChoice,
    config_flag: Option<PathBuf>,
}

impl Surroundings {
    pub(crate) fn of_process(common: &CommonArgs) -> Result<Self, CliFailure> {
        let cwd = std::env::current_dir()
            .map_err(|error| CliFailure::new(format!("cannot tell the working folder: {error}")))?;
        // Variables that are not UTF-8 cannot be named in a configuration.
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let logging = LogChoice {
            level: common.log_level.map(Into::into),
            format: common.log_format.map(Into::into),
        };
        Ok(Self { cwd, variables, logging, config_flag: common.config.clone() })
    }

    /// The same folder for somebody with these variables, who was told nothing else.
    pub(crate) fn of_person(&self, variables: &Variables) -> Self {
        let (cwd, variables) = (self.cwd.clone(), variables.clone());
        Self { cwd, variables, logging: self.logging, config_flag: None }
    }

    /// The same for a run of which nothing is logged.
    pub(crate) fn unlogged(&self) -> Self {
        let logging = LogChoice { level: Some(LogThreshold::Off), format: None };
        let (cwd, variables) = (self.cwd.clone(), self.variables.clone());
        Self { cwd, variables, logging, config_flag: self.config_flag.clone() }
    }

    /// The same with these credentials in variables, as they will be once they are exported.
    pub(crate) fn with_credentials(&self, taken: &[TakenCredential]) -> Self {
        let mut variables = self.variables.clone();
        for TakenCredential { variable, value, .. } in taken {
            variables.entry(variable.clone()).or_insert_with(|| value.expose().to_owned());
        }
        let (cwd, config_flag) = (self.cwd.clone(), self.config_flag.clone());
        Self { cwd, variables, logging: self.logging, config_flag }
    }

    pub(crate) fn options(&self) -> LoadOptions {
        let mut options = LoadOptions::new(&self.cwd);
        options.path = self.config_flag.clone();
        options.env = self.variables.clone();
        options.secrets = self.secrets();
        options
    }

    /// The secrets that the person keeps.
    pub(crate) fn secrets(&self) -> Option<Arc<dyn SecretSource>> {
        let folder = state_folder(&self.variables).ok()?;
        Some(Arc::new(SecretsFile::of_state_folder(&folder)))
    }

    /// What a run that is watched goes by.
    pub(crate) fn run_settings(&self) -> RunSettings {
        let (folder, options) = (self.cwd.clone(), self.options());
        RunSettings { folder, options, logging: self.logging }
    }

    /// What is written here, for whoever goes by it and starts nothing of it.
    pub(crate) fn load_written(&self) -> McpConfigLoadResult {
        load_written(&self.options())
    }

    /// The configuration of one scope, with all its problems.
    pub(crate) fn load(&self, scope: ScopeArg) -> McpConfigLoadResult {
        let mut options = self.options();
        options.only = match scope {
            ScopeArg::Effective => None,
            ScopeArg::Project => Some(Layer::Project),
            ScopeArg::Global => Some(Layer::Global),
        };
        load(&options)
    }

    /// The configuration as it is hosted: with the servers that Toolgate brings itself.
    pub(crate) fn load_as_hosted(&self) -> McpConfigLoadResult {
        let mut loaded = self.load(ScopeArg::Effective);
        withhold_unread(&mut loaded.config, &loaded.failed);
        add_own_servers(&mut loaded.config, &self.context());
        loaded
    }

    /// One scope as it is written, or everything as it is hosted.
    pub(crate) fn load_shown(&self, scope: ScopeArg) -> McpConfigLoadResult {
        match scope {
            ScopeArg::Effective => self.load_as_hosted(),
            scope => self.load(scope),
        }
    }

    /// The person's logins, kept as the configuration says.
    pub(crate) fn logins(&self, config: &Config) -> Result<Arc<ServerLogins>, CliFailure> {
        Ok(persons_logins(&self.state_folder()?, &self.variables, config.credentials))
    }

    /// Where a server that is only tested is started.
    pub(crate) fn test_ground(&self, config: &Config) -> TestGround<'_> {
        let hidden = hidden_places(&self.options(), &self.own_places());
        let walls = SandboxGround::by(&config.sandbox, &self.variables, hidden);
        let packages = self.state_folder().ok().map(|folder| package_folder(&folder));
        let logins = self.logins(config).ok();
        let (folder, variables) = (&*self.cwd, &self.variables);
        let project = config.project_root.clone();
        let auth_providers = config.auth_providers.clone();
        let masker = Masker::of_config(config, &self.variables);
        TestGround { folder, variables, walls, packages, logins, auth_providers, project, masker }
    }

    pub(crate) fn context(&self) -> WorkspaceContext {
        WorkspaceContext { folder: self.cwd.clone(), options: self.options() }
    }

    /// Where Toolgate keeps things of its own, which its own servers show to nobody.
    pub(crate) fn own_places(&self) -> Vec<PathBuf> {
        let places = [state_folder(&self.variables).ok(), RunFolder::outer(&self.variables)];
        places.into_iter().flatten().collect()
    }

    /// The file that an edit in this scope changes; it need not exist yet.
    pub(crate) fn file_of(&self, scope: EditScope) -> Result<LayerFile, CliFailure> {
        scope.file(&self.options()).ok_or_else(|| {
            CliFailure::new("cannot tell where your own configuration is")
                .hint("set HOME or TOOLGATE_GLOBAL_CONFIG")
        })
    }

    /// Where other clients keep their files.
    pub(crate) fn client_places(&self) -> Result<ClientFolders, CliFailure> {
        let unknown =
            || CliFailure::new("cannot tell where clients keep their files").hint("set HOME");
        Ok(ClientFolders {
            home: self.variables.get("HOME").map(PathBuf::from).ok_or_else(unknown)?,
            config_home: config_home(&self.variables).ok_or_else(unknown)?,
            workspace: self.cwd.clone(),
        })
    }

    pub(crate) fn state_folder(&self) -> Result<PathBuf, CliFailure> {
        Ok(state_folder(&self.variables)?)
    }

    pub(crate) fn lock_folder(&self) -> Result<PathBuf, CliFailure> {
        let folder = self.state_folder()?.join("locks");
        // Whoever locks makes it where it is missing, but not for its owner alone.
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        Ok(folder)
    }

    pub(crate) fn log_folder(&self) -> Result<PathBuf, CliFailure> {
        Ok(self.state_folder()?.join("logs"))
    }

    /// The store, to write into.
    pub(crate) fn store(&self) -> Result<SqliteStore, CliFailure> {
        Ok(SqliteStore::open(&self.state_folder()?)?)
    }

    /// The store, only to look; nothing is created.
    pub(crate) fn store_to_read(&self) -> Result<SqliteStore, CliFailure> {
        Ok(SqliteStore::open_read_only(&self.state_folder()?)?)
    }

    /// What was accepted for the project that a load found.
    pub(crate) fn acceptances(
        &self,
        loaded: &McpConfigLoadResult,
    ) -> Result<Acceptances, CliFailure> {
        let Ok(root) = ProjectRoot::of(&loaded.project_root) else {
            return Ok(Acceptances::default());
        };
        let store = self.store_to_read()?;
        Ok(wait(store.acceptances(&root))?)
    }

    /// What the person switched away, as it is seen and changed from here.
    pub(crate) fn switches(&self) -> Result<PersonSwitches, CliFailure> {
        let loaded = self.load(ScopeArg::Effective);
        let known = self.acceptances(&loaded)?;
        Ok(PersonSwitches::new(Arc::new(self.store()?), loaded, known, &self.cwd))
    }

    /// The same as it counts in a configuration; nothing is created.
    pub(crate) fn switch(&self, loaded: &mut McpConfigLoadResult) -> Result<(), CliFailure> {
        let folder = self.cwd.canonicalize().unwrap_or_else(|_| self.cwd.clone());
        let switches = wait(self.store_to_read()?.switches())?;
        loaded.config.switch(SwitchedAway::of(&switches, &folder));
        Ok(())
    }

    /// A path as a person would write it here, with nothing hidden in it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        shown_path(path.strip_prefix(&self.cwd).unwrap_or(path))
    }
}

/// A path for a person's eyes: folders are named by whoever made them.
pub(crate) fn shown_path(path: &Path) -> String {
    visible(&path.display().to_string())
}

/// Waits for one answer of the store; a command has nothing else to do meanwhile.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Sleeper(std::thread::Thread);
    impl std::task::Wake for Sleeper {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::task::Waker::from(Arc::new(Sleeper(std::thread::current())));
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
