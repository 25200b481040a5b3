//! What lies around in a repository: files that other programs read into an environment, a client's
//! entry for Toolgate, and state that somebody else made.

use std::fs;

use serde_json::json;

use super::repository::{ClientEntry, Repository};
use super::traps::ALL_MARKS;
use super::written::toml;
use crate::daemon::house::house;

/// A configuration with all traps, as TOML and as inline JSON; what they are called.
fn traps(repository: &Repository) -> (String, String, Vec<&'static str>) {
    let entries = repository.traps.entries(&repository.folder());
    let (ids, servers): (Vec<_>, serde_json::Map<_, _>) =
        entries.into_iter().map(|(id, entry)| (id, (id.to_owned(), entry))).unzip();
    let table = json!({ "servers": servers });
    (toml(&table), table.to_string(), ids)
}

/// Shows: E-6.
#[test]
fn an_env_file_of_a_repository_is_not_even_opened() {
    let repository = Repository::new();
    let (text, inline, ids) = traps(&repository);
    let folder = repository.folder().display().to_string();
    let variables = format!(
        "TOOLGATE_GLOBAL_CONFIG={folder}/evil.toml\nTOOLGATE_CONFIG={folder}/evil.toml\n\
         TOOLGATE_CONFIG_JSON='{inline}'\nHOME={folder}/home\nXDG_CONFIG_HOME={folder}/home/.config\n\
         PATH={folder}/bin:$PATH\nLD_PRELOAD={folder}/evil.so\n"
    );
    let names = [".env", ".env.local", ".envrc", "env", ".toolgate/.env"];
    let repository = names.iter().fold(repository, |all, name| all.file(name, &variables));
    let repository = repository
        .file("evil.toml", &text)
        .file("home/.config/toolgate/config.toml", &text)
        .file(".config/toolgate/config.toml", &text);
    for program in ["sh", "env", "node", "git", "toolgate"] {
        repository.traps.set(&repository.folder().join("bin").join(program), program);
    }
    let account = repository.is_harmless(&ids);
    let is_opened =
        |name: &&str| account.opened.iter().any(|path| path.ends_with(&format!("/{name}")));
    assert_eq!(names.iter().find(|name| is_opened(name)), None);
    // The same words in the person's own environment are the person's.
    let own = house().with("TOOLGATE_GLOBAL_CONFIG", &format!("{folder}/evil.toml"));
    let own = Repository::of(own);
    let listed = own.run(&["list"]).ok().stdout;
    assert_eq!(listed.matches("trusted").count(), ids.len(), "{listed}");
}

/// Everything at once.
const ALL: &[&str] = &[
    "HOME",
    "PATH",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "TOOLGATE_CONFIG",
    "TOOLGATE_GLOBAL_CONFIG",
];

/// Shows: E-6, C7.
#[test]
fn what_a_clients_entry_in_a_repository_passes_to_the_shim_gains_nothing() {
    let variables: [&[&str]; 12] = [
        &["TOOLGATE_CONFIG"],
        &["TOOLGATE_CONFIG_JSON"],
        &["TOOLGATE_GLOBAL_CONFIG"],
        &["CODELIA_CONFIG_PATH", "CODEX_TOOLLOOP_MCP_CONFIG_PATH"],
        &["XDG_CONFIG_HOME"],
        &["XDG_STATE_HOME", "XDG_RUNTIME_DIR"],
        &["HOME"],
        &["PATH"],
        &["OTEL_EXPORTER_OTLP_ENDPOINT", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"],
        ALL,
        ALL,
        ALL,
    ];
    let flags: [&[&str]; 3] = [
        &["stdio", "--config", "evil.toml"],
        &["stdio"],
        &["stdio", "--standalone", "--config", "evil.toml"],
    ];
    for (number, names) in variables.into_iter().enumerate() {
        let repository = Repository::new();
        let (text, inline, ids) = traps(&repository);
        let folder = repository.folder().display().to_string();
        let value = |name: &str| match name {
            "TOOLGATE_CONFIG_JSON" => inline.clone(),
            "HOME" => format!("{folder}/home"),
            "PATH" => format!("{folder}/bin"),
            "XDG_CONFIG_HOME" => format!("{folder}/home/.config"),
            "XDG_STATE_HOME" => format!("{folder}/home/.local/state"),
            "XDG_RUNTIME_DIR" => format!("{folder}/run"),
            name if name.starts_with("OTEL_") || name.ends_with("PROXY") => repository.traps.url(),
            _ => format!("{folder}/evil.toml"),
        };
        let env: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), value(name).into())).collect();
        let args = flags[number % flags.len()];
        let entry = json!({ "command": "toolgate", "args": args, "env": env });
        let entry = json!({ "mcpServers": { "gate": entry } }).to_string();
        let repository = repository
            .file(".mcp.json", &entry)
            .file("evil.toml", &text)
            .file("home/.config/toolgate/config.toml", &text)
            .file("run/toolgate/x", "");
        for program in ["sh", "env", "toolgate"] {
            repository.traps.set(&repository.folder().join("bin").join(program), program);
        }
        let entry = ClientEntry::of(&repository.world.read("project/.mcp.json"));
        repository.is_harmless_with(&entry, &ids);
    }
}

/// Shows: E-6, S2-13.
#[test]
fn acceptances_that_a_repository_brings_along_count_for_nothing() {
    let repository = Repository::new();
    let (text, _, ids) = traps(&repository);
    let repository = repository.file("toolgate.toml", &text);
    // Not made up but made: somebody accepted just this, here, and then it was packed.
    repository.accept();
    let own = repository.world.home().join(".local/state/toolgate");
    let folder = repository.folder();
    let brought = folder.join(".local/state/toolgate");
    fs::create_dir_all(brought.parent().unwrap()).unwrap();
    fs::rename(&own, &brought).unwrap();
    for copy in [".toolgate/state.db", "state.db", "home/.local/state/toolgate/state.db"] {
        fs::create_dir_all(folder.join(copy).parent().unwrap()).unwrap();
        fs::copy(brought.join("state.db"), folder.join(copy)).unwrap();
    }
    let made_up = json!({ "version": 1, "accepted": ids, "acceptances":
        ids.iter().map(|id| json!({ "kind": "server", "id": id, "trust": "trusted" }))
            .collect::<Vec<_>>() });
    for name in [".toolgate/toolgate.lock", ".toolgate/trust.json", "trust.json"] {
        repository.world.write(&format!("project/{name}"), &made_up.to_string());
    }
    let zeros = "0".repeat(64);
    let pins = ids.iter().map(|id| format!("[servers.{id}]\nrun = \"sha256:{zeros}\"\n"));
    let lock = format!("version = 1\n{}", pins.collect::<String>());
    repository.world.write("project/toolgate.lock", &lock);
    let state = folder.join(".local/state").display().to_string();
    let home = folder.join("home").display().to_string();
    for env in [vec![], vec![("XDG_STATE_HOME", state)], vec![("HOME", home)]] {
        let env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let entry = ClientEntry { args: vec!["stdio".to_owned()], env };
        let account = repository.is_harmless_with(&entry, &ids);
        let is_brought = |path: &&String| path.contains("/project/") && path.ends_with("state.db");
        assert_eq!(account.opened.iter().find(is_brought), None);
    }
    // It is the place that it lacks: where the person's own state is, it counts.
    fs::remove_dir_all(&own).unwrap();
    fs::rename(&brought, &own).unwrap();
    repository.springs(&ALL_MARKS, true);
}

/// Shows: E-6.
#[test]
fn files_of_other_clients_in_a_repository_are_nobodys_configuration() {
    let repository = Repository::new();
    let entries = repository.traps.entries(&repository.folder());
    let (ids, servers): (Vec<_>, serde_json::Map<_, _>) =
        entries.into_iter().map(|(id, entry)| (id, (id.to_owned(), entry))).unzip();
    let theirs = json!({ "mcpServers": servers, "servers": servers, "mcp": servers });
    let codex = json!({ "mcp_servers": servers });
    let json_files = [
        ".mcp.json",
        "mcp.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".claude/settings.json",
        ".gemini/settings.json",
        ".zed/settings.json",
        "opencode.json",
        "config.json",
    ];
    let repository =
        json_files.iter().fold(repository, |all, name| all.file(name, &theirs.to_string()));
    let repository = [".codex/config.toml", "config.toml", "toolgate/config.toml"]
        .iter()
        .fold(repository, |all, name| all.file(name, &toml(&codex)));
    assert_eq!(repository.run(&["config", "show", "--json"]).ok().json()["servers"], json!({}));
    repository.is_harmless(&ids);
}

/// What reads a folder for an agent runs no `git`, which would run what a repository says.
///
/// Shows: E-6.
#[test]
fn the_settings_and_hooks_of_a_repositorys_git_run_nothing() {
    let repository = Repository::new();
    let folder = repository.folder();
    repository.traps.set(&folder.join(".git/hook.sh"), "git");
    let hook = folder.join(".git/hook.sh").display().to_string();
    let config = format!(
        "[core]\n\tfsmonitor = {hook}\n\tsshCommand = {hook}\n\tpager = {hook}\n\
         \thooksPath = .git/hooks\n[diff]\n\texternal = {hook}\n\
         [filter \"x\"]\n\tsmudge = {hook}\n\tclean = {hook}\n"
    );
    for hook in ["post-checkout", "pre-commit", "post-index-change"] {
        repository.traps.set(&folder.join(".git/hooks").join(hook), hook);
    }
    let repository = repository
        .file(".git/config", &config)
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".gitattributes", "* filter=x diff=x\n")
        .file("read.me", "words\n");
    repository.is_harmless(&[]);
}
