//! Names of clients, and where their files are.

use std::path::{Path, PathBuf};

use toolgate_config::clients::{
    ClientConnectError, ClientFolders, ClientScope, KnownClient, connect_file,
};

fn places() -> ClientFolders {
    ClientFolders {
        home: PathBuf::from("/home/dev"),
        config_home: PathBuf::from("/home/dev/.config"),
        workspace: PathBuf::from("/home/dev/shop"),
    }
}

#[test]
fn clients_are_known_by_name_and_by_what_people_call_them() {
    for client in KnownClient::ALL {
        assert_eq!(KnownClient::parse(client.as_str()), Some(client));
        assert_eq!(KnownClient::parse(&client.title().to_uppercase()), Some(client), "{client}");
    }
    assert_eq!(KnownClient::parse("claude"), Some(KnownClient::ClaudeCode));
    assert_eq!(KnownClient::parse(" Code "), Some(KnownClient::VsCode));
    assert_eq!(KnownClient::parse("emacs"), None);
}

#[test]
fn every_file_of_a_client_is_recognised_as_its_own() {
    for client in KnownClient::ALL {
        let files = client.files(&places());
        assert!(files.iter().any(|file| file.scope == ClientScope::User), "{client}");
        for file in files {
            assert_eq!(KnownClient::of_path(&file.path), Some(client), "{}", file.path.display());
        }
    }
}

#[test]
fn connect_writes_the_users_file_unless_told_otherwise() {
    let nothing_exists = |_: &Path| false;
    let path = |client, scope| {
        connect_file(client, &places(), scope, &nothing_exists).map(|file| file.path)
    };
    let codex = path(KnownClient::Codex, ClientScope::User).unwrap();
    assert_eq!(codex, Path::new("/home/dev/.codex/config.toml"));
    let project = path(KnownClient::ClaudeCode, ClientScope::Project).unwrap();
    assert_eq!(project, Path::new("/home/dev/shop/.mcp.json"));
    for client in [KnownClient::ClaudeDesktop, KnownClient::Windsurf] {
        let scope = ClientScope::Project;
        assert_eq!(path(client, scope), Err(ClientConnectError::NoSuchFile { client, scope }));
    }
}

#[test]
fn connect_writes_the_file_that_is_there() {
    let jsonc_exists = |path: &Path| path.ends_with("opencode.jsonc");
    let file =
        connect_file(KnownClient::Opencode, &places(), ClientScope::User, &jsonc_exists).unwrap();
    assert_eq!(file.path, Path::new("/home/dev/.config/opencode/opencode.jsonc"));
}

#[cfg(target_os = "linux")]
#[test]
fn files_on_linux() {
    let lines: Vec<String> = KnownClient::ALL
        .into_iter()
        .flat_map(|client| client.files(&places()).into_iter().map(move |file| (client, file)))
        .map(|(client, file)| format!("{client}: {}", file.path.display()))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    claude-code: /home/dev/shop/.mcp.json
    claude-code: /home/dev/.claude.json
    claude-desktop: /home/dev/.config/Claude/claude_desktop_config.json
    cursor: /home/dev/shop/.cursor/mcp.json
    cursor: /home/dev/.cursor/mcp.json
    vscode: /home/dev/shop/.vscode/mcp.json
    vscode: /home/dev/.config/Code/User/mcp.json
    codex: /home/dev/shop/.codex/config.toml
    codex: /home/dev/.codex/config.toml
    opencode: /home/dev/shop/opencode.json
    opencode: /home/dev/shop/opencode.jsonc
    opencode: /home/dev/.config/opencode/opencode.json
    opencode: /home/dev/.config/opencode/opencode.jsonc
    gemini: /home/dev/shop/.gemini/settings.json
    gemini: /home/dev/.gemini/settings.json
    qwen-code: /home/dev/shop/.qwen/settings.json
    qwen-code: /home/dev/.qwen/settings.json
    continue: /home/dev/shop/.continue/mcpServers/toolgate.yaml
    continue: /home/dev/.continue/config.yaml
    windsurf: /home/dev/.codeium/windsurf/mcp_config.json
    zed: /home/dev/shop/.zed/settings.json
    zed: /home/dev/.config/zed/settings.json
    ");
}
