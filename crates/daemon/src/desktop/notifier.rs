//! The program that shows notifications, started once for each.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolgate_config::Variables;
use toolgate_sandbox::{
    ChildProcess, Description, Environment, HelperPath, ProcessSpawner, Signal, SpawnConditions,
};
use toolgate_types::config::{InheritEnv, Stderr};
use toolgate_types::{BASELINE_VARIABLES, ConfigText};

const PROGRAM: &str = "notify-send";

/// What leads to the person's desktop.
const DESKTOP: [&str; 5] =
    ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"];

/// The longest word that it says.
const LONGEST: u64 = 256;

/// How long it may take to put a notification away.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub(super) struct DesktopNotifier {
    program: String,
    environment: Environment,
    spawner: ProcessSpawner,
}

/// What came of a notification.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotifierReply {
    /// The button that was pressed.
    Word(String),
    /// It was put away, or is settled.
    Nothing,
    Failed,
}

impl DesktopNotifier {
    /// Where the program is there, and a desktop that it can reach.
    pub(super) fn find(variables: &Variables) -> Option<Self> {
        let value = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let bus = || Some(Path::new(value("XDG_RUNTIME_DIR")?).join("bus").exists());
        if value("DBUS_SESSION_BUS_ADDRESS").is_none() && bus() != Some(true) {
            return None;
        }
        let program = program_on_path(PROGRAM, variables)?;
        let environment = desktop_environment(variables);
        let spawner = ProcessSpawner::new(HelperPath::current_exe());
        Some(Self { program, environment, spawner })
    }

    /// Shows a notification, until something is said to it or it is settled otherwise.
    pub(super) async fn show(
        &self,
        arguments: &[String],
        settled: &CancellationToken,
    ) -> NotifierReply {
        let how = SpawnConditions { stderr: Stderr::Ignore, ..SpawnConditions::unconfined() };
        let description = self.description(arguments);
        let mut child = match self.spawner.spawn(&description, &how).await {
            Ok(child) => child,
            Err(error) => {
                tracing::warn!(target: "toolgate", %error, "the desktop cannot be told");
                return NotifierReply::Failed;
            }
        };
        match settled.run_until_cancelled(said(&mut child)).await {
            Some(said) => said,
            None => {
                // So it puts the notification away; ended otherwise, it would stay there.
                let _ = child.signal(Signal::Interrupt);
                let _ = timeout(GRACE, child.wait()).await;
                NotifierReply::Nothing
            }
        }
    }

    fn description(&self, arguments: &[String]) -> Description {
        Description {
            program: ConfigText::Plain(self.program.clone()),
            args: arguments.iter().cloned().map(ConfigText::Plain).collect(),
            folder: "/".into(),
            env: Default::default(),
            pass: Vec::new(),
            inherit: InheritEnv::All,
            source: self.environment.clone(),
        }
    }
}

/// A program, where it is in a folder of the person's path that is none of the working directory's.
pub(super) fn program_on_path(name: &str, variables: &Variables) -> Option<String> {
    let mut folders = variables.get("PATH")?.split(':').map(PathBuf::from);
    folders.find_map(|folder| {
        let file = folder.join(name);
        let found = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let is_program = folder.is_absolute() && found.permissions().mode() & 0o111 != 0;
        file.to_str().filter(|_| is_program).map(str::to_owned)
    })
}

/// What a program on the person's desktop needs of the environment, and nothing else.
pub(super) fn desktop_environment(variables: &Variables) -> Environment {
    let passed = |name: &str| BASELINE_VARIABLES.contains(&name) || DESKTOP.contains(&name);
    variables.iter().filter(|(name, _)| passed(name)).collect()
}

async fn said(child: &mut ChildProcess) -> NotifierReply {
    let mut word = String::new();
    if let Some(stdout) = child.stdout.take() {
        let _ = stdout.take(LONGEST).read_to_string(&mut word).await;
    }
    match (word.trim(), child.wait().await.is_success()) {
        ("", true) => NotifierReply::Nothing,
        ("", false) => NotifierReply::Failed,
        (word, _) => NotifierReply::Word(word.to_owned()),
    }
}
