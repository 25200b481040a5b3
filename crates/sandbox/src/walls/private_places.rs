//! Places of a person that no run is learned from with, and that nobody proposes to open: credentials; and
//! those that run something later, which nobody proposes to write to.

use std::path::{Path, PathBuf};

use crate::SandboxGround;

/// Below a home.
const CREDENTIALS: [&str; 40] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/gcloud",
    ".config/op",
    ".config/sops",
    ".config/rclone",
    ".config/containers/auth.json",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".mozilla",
    ".thunderbird",
    ".docker/config.json",
    ".kube",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".password-store",
    ".local/share/keyrings",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".bash_history",
];

/// Below a home.
const RUN_LATER: [&str; 24] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".inputrc",
    ".gitconfig",
    ".config/git",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".local/bin",
    ".local/share/applications",
    ".cargo/bin",
    ".cargo/config.toml",
    ".claude",
    ".codex",
    ".cursor",
    ".vscode",
];

/// Of `/etc`, which a process of root could read.
pub(super) const SYSTEM_SECRETS: [&str; 14] = [
    "NetworkManager",
    "docker",
    "gshadow",
    "gshadow-",
    "krb5.keytab",
    "kubernetes",
    "letsencrypt",
    "security",
    "shadow",
    "shadow-",
    "ssh",
    "sudoers",
    "sudoers.d",
    "wireguard",
];

/// Where credentials are, and what is Toolgate's own.
pub(super) fn secret(ground: &SandboxGround) -> Vec<PathBuf> {
    let hidden = ground.hidden.iter().map(|path| path.canonicalize().unwrap_or(path.clone()));
    let etc = SYSTEM_SECRETS.iter().map(|name| Path::new("/etc").join(name));
    below_home(ground, &CREDENTIALS).chain(hidden).chain(etc).collect()
}

/// What runs something when somebody logs in, opens a shell or an editor, or uses `git`.
pub(super) fn run_later(ground: &SandboxGround) -> Vec<PathBuf> {
    below_home(ground, &RUN_LATER).collect()
}

fn below_home<'a>(
    ground: &'a SandboxGround,
    names: &'a [&str],
) -> impl Iterator<Item = PathBuf> + 'a {
    let home = ground.home.as_ref().map(|home| home.canonicalize().unwrap_or(home.clone()));
    names.iter().filter_map(move |name| Some(home.as_ref()?.join(name)))
}
