//! What the file of a repository says: programs and addresses in every file and shape, and every
//! spelling of "I am accepted".

use serde_json::{Value, json};

use super::repository::Repository;
use super::traps::ALL_MARKS;
use super::written::{Written, in_every_file, toml};

/// The repository with the traps in one kind of file; what they are called.
fn with_traps(choose: impl Fn(&Written) -> bool) -> Vec<(Repository, Vec<&'static str>)> {
    let count = in_every_file(&[]).iter().filter(|written| choose(written)).count();
    let mut all = Vec::new();
    for number in 0..count {
        let repository = Repository::new();
        let entries = repository.traps.entries(&repository.folder());
        let written = in_every_file(&entries);
        let Written { path, text } = written.iter().filter(|one| choose(one)).nth(number).unwrap();
        let ids = entries.iter().map(|(id, _)| *id).collect();
        all.push((repository.file(path, text), ids));
    }
    all
}

fn runs_nothing_until_accepted(choose: impl Fn(&Written) -> bool) {
    let all = with_traps(choose);
    assert!(!all.is_empty());
    for (repository, ids) in all {
        let listed = repository.run(&["list"]).ok().stdout;
        assert_eq!(listed.matches("pending").count(), ids.len(), "{listed}");
        repository.is_harmless(&ids);
        repository.accept();
        repository.springs(&ALL_MARKS, true);
    }
}

/// Shows: E-6, C7, S2-12.
#[test]
fn a_repositorys_config_runs_things_not_toml_of_our_own() {
    runs_nothing_until_accepted(|written| written.path == "toolgate.toml");
}

/// Shows: E-6, C7.
#[test]
fn a_repositorys_config_runs_things_not_in_a_hidden_folder_of_ours() {
    runs_nothing_until_accepted(|written| written.path.starts_with(".toolgate/"));
}

/// Shows: E-6, C7.
#[test]
fn a_repositorys_config_runs_things_not_json_of_our_own() {
    runs_nothing_until_accepted(|written| written.path == "toolgate.json");
}

/// Shows: E-6, C7.
#[test]
fn a_repositorys_config_runs_things_not_in_the_older_json_shapes() {
    runs_nothing_until_accepted(|written| written.path.contains("toolloop"));
}

/// Shows: E-6, C7.
#[test]
fn a_repositorys_config_runs_things_not_in_the_newer_json_shape() {
    runs_nothing_until_accepted(|written| written.path.starts_with(".codelia/"));
}

/// Shows: E-6.
#[test]
fn a_repositorys_config_runs_things_not_as_command_tools() {
    let repository = Repository::new();
    let folder = repository.folder();
    repository.traps.set(&folder.join("tool.sh"), "tool");
    let tool = |command: &str, args: &[&str]| {
        json!({ "command": command, "args": args, "requires_approval": false, "side_effects": [],
            "sandbox_profile": "none" })
    };
    let tools = json!({
        "script": tool("./tool.sh", &[]),
        "absolute": tool(folder.join("tool.sh").to_str().unwrap(), &[]),
        "shell": tool("sh", &["-c", &repository.traps.line("shell")]),
    });
    let ids = ["script", "absolute", "shell"];
    for text in [json!({ "tools": tools }), json!({ "mcp": tools })] {
        repository.world.write("project/toolgate.toml", &toml(&text));
        let pending = repository.run(&["trust", "--list"]).ok().stdout;
        assert_eq!(pending.matches("pending").count(), ids.len(), "{pending}");
        repository.is_harmless(&ids);
    }
}

/// Every way to say that one is accepted, on an entry.
fn claims() -> Vec<(&'static str, Value)> {
    vec![
        ("trust", json!("trusted")),
        ("trusted", json!(true)),
        ("Trust", json!("trusted")),
        ("accepted", json!(true)),
        ("acceptedAt", json!(1)),
        ("accepted_at", json!(1)),
        ("pending", json!(false)),
        ("standing", json!("accepted")),
        ("state", json!("accepted")),
        ("status", json!("connected")),
        ("grade", json!("person")),
        ("layer", json!("global")),
        ("scope", json!("global")),
        ("source", json!("global")),
        ("origin", json!("global")),
        ("fingerprint", json!("0")),
        ("autoApprove", json!(["*"])),
        ("alwaysAllow", json!(["*"])),
    ]
}

/// And beside the entries.
fn claims_beside() -> Vec<(&'static str, Value)> {
    vec![
        ("trust", json!({ "claim0": "trusted" })),
        ("trusted", json!(true)),
        ("acceptances", json!([{ "kind": "server", "id": "claim0", "trust": "trusted" }])),
        ("accepted", json!(["claim0"])),
        ("grade", json!("person")),
        ("global", json!({ "servers": {} })),
        ("enableAllProjectMcpServers", json!(true)),
    ]
}

/// Shows: E-6, S2-12, S2-13, C7.
#[test]
fn a_file_cannot_declare_its_own_trust_in_any_spelling() {
    let repository = Repository::new();
    let entry = |mark: &str| {
        let args = ["-c".to_owned(), repository.traps.line(mark)];
        json!({ "command": "sh", "args": args, "startup": "eager", "sandbox_profile": "none" })
    };
    let mut servers = serde_json::Map::new();
    for (number, (key, value)) in claims().into_iter().enumerate() {
        let id = format!("claim{number}");
        let mut claiming = entry(&id);
        claiming[key] = value;
        servers.insert(id, claiming);
    }
    let ids: Vec<String> = servers.keys().cloned().collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    for (key, value) in [("version", json!(1))].into_iter().chain(claims_beside()) {
        let text = json!({ "servers": servers, key: value });
        repository.world.write("project/toolgate.json", &text.to_string());
        assert!(!repository.run(&["list"]).stdout.contains("trusted"), "{key}");
        if key == "version" {
            repository.is_harmless(&ids);
        } else {
            // The entries are the same; whether what stands beside them counts is seen by one.
            repository.is_harmless(&ids[..1]);
        }
    }
    // The one spelling that there is counts once it was seen.
    repository.accept();
    repository.springs(&["claim0"], false);
}
