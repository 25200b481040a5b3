//! Repositories that the real `git` made, with settings of a person who has none.

use std::path::Path;
use std::process::Command;

use crate::session::Ground;

/// Runs `git` in a folder and gives what it prints. Each commit comes a minute after the one before.
pub(crate) fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let minute = std::fs::read_dir(folder.join(".git/logs")).map_or(0, |_| {
        let log = std::fs::read_to_string(folder.join(".git/logs/HEAD")).unwrap_or_default();
        log.lines().count()
    });
    let date = format!("2026-01-02T03:{minute:02}:00Z");
    let output = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .expect("`git` is needed for these tests");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

impl Ground {
    /// A folder that is a repository without a commit.
    pub(crate) fn repository() -> Self {
        let ground = Self::new();
        ground.git(&["init", "-q"]);
        ground
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.root(), arguments)
    }

    /// Commits everything, and gives the id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }
}
