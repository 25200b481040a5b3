//! What a project, a package or a registry may try.

use std::fs;

use super::registry::{Registry, has_what_is_needed};
use super::{accept, call, code, entry, scene};

/// What a package runs when it is installed sees neither the project nor the home, neither variables nor
/// credentials, and reaches nobody.
#[test]
fn an_install_script_finds_nothing_and_reaches_nobody() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    let world = world.with("A_SECRET_OF_THE_SHELL", "canary-of-the-shell");
    let (project, home) = (world.project(), world.home());
    let state = home.join(".local/state/toolgate");
    let probe = format!(
        "node probe.js {} {} {} {}",
        registry.port,
        project.display(),
        home.display(),
        state.display()
    );
    registry.publish("thing", "2.0.0", &probe);
    let auth = format!("//{}/:_authToken = canary-of-the-registry\n", registry.host());
    world.write("home/.npmrc", &format!("registry = {}\n{auth}", registry.url()));
    world.write("home/canary", "canary-of-the-home");
    world.write("project/canary", "canary-of-the-project");
    accept(&world);
    // It was fetched as the person would fetch it.
    assert!(registry.asked().contains(&"Bearer canary-of-the-registry /thing".to_owned()));
    let code = code(&world);
    let [code] = &code[..] else { panic!("{code:?}") };
    let found = fs::read_to_string(code.join("tree/node_modules/thing/found.json")).unwrap();
    assert!(!found.contains("canary") && !found.contains("for the server"), "{found}");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    for thing in ["project", "home", "npmrc", "state", "network"] {
        let what = found[thing].as_str().unwrap();
        assert!(what.starts_with("no: ") || what.is_empty(), "{thing}: {what}");
    }
    // Nor does anything of it stay in what the server sees.
    let seen = fs::read_dir(code.join("tree")).unwrap().flatten();
    assert!(seen.map(|entry| entry.file_name()).all(|name| name != ".npmrc"));
}

/// A project's own settings would have it fetched from anywhere.
#[test]
fn a_projects_own_settings_name_no_registry() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    let evil = Registry::new();
    evil.publish("thing", "9.9.9", "");
    let own = format!("registry = {}\nscript-shell = ./evil\n", evil.url());
    world.write("project/.npmrc", &own);
    world.write("project/.npmrc.d/x", &own);
    let entry = entry("thing", "npx", &["thing"]);
    let env = format!("env = {{ npm_config_registry = {:?}, OWN = ", evil.url());
    world.write("project/toolgate.toml", &entry.replace("env = { OWN = ", &env));
    let said = accept(&world);
    assert!(said.contains("fixed thing@1.0.0"), "{said}");
    assert_eq!(call(&world, "count"), "1");
    assert_eq!(evil.asked(), Vec::<String>::new());
    assert_eq!(registry.asked().len(), 2);
}

/// The same version with other bytes is not what was accepted.
#[test]
fn a_package_that_changed_at_the_registry_is_refused() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    accept(&world);
    registry.change("thing", "1.0.0", "server.js", "#!/usr/bin/env node\nprocess.exit(0)\n");
    for folder in code(&world) {
        fs::remove_dir_all(folder).unwrap();
    }
    let refused = world.run(&["call", "thing", "count"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    let told = world.run(&["test", "thing"]);
    assert!(told.stderr.contains("EINTEGRITY"), "{told:?}");
    assert_eq!(code(&world), Vec::<std::path::PathBuf>::new());
    registry.publish("thing", "1.0.0", "");
    assert_eq!(call(&world, "count"), "1");
}

#[test]
fn a_server_changes_nothing_of_what_was_fetched() {
    if !has_what_is_needed() {
        return;
    }
    let (world, _registry) = scene();
    accept(&world);
    let code = code(&world);
    let [code] = &code[..] else { panic!("{code:?}") };
    let server = code.join("tree/node_modules/thing/server.js");
    let before = fs::read_to_string(&server).unwrap();
    assert_eq!(call(&world, "spoil"), "spoilt");
    assert_eq!(fs::read_to_string(&server).unwrap(), before);
    assert!(!server.with_file_name("count").exists());
}

#[test]
fn two_entries_share_nothing() {
    if !has_what_is_needed() {
        return;
    }
    let (world, _registry) = scene();
    let both = entry("thing", "npx", &["thing"]) + &entry("other", "npx", &["thing"]);
    world.write("project/toolgate.toml", &both);
    world.run_at_terminal(&["trust", "--trusted"], "y\ny\n").ok();
    assert_eq!(code(&world).len(), 2);
    assert_eq!(call(&world, "count"), "1");
    let other = world.run(&["call", "other", "count"]).ok().stdout;
    assert_eq!(other.trim(), "1");
}

/// An entry that says nothing clear is not guessed at.
#[test]
fn what_is_not_understood_is_an_error_of_the_entry() {
    let (world, registry) = scene();
    world.write("project/toolgate.toml", &entry("thing", "npx", &["--registry=http://x", "y"]));
    let said = world.run_at_terminal(&["trust", "--trusted"], "y\n").fails_with(8).stdout;
    let why = "the option `--registry` of `npx` is not known here";
    assert!(said.contains(&format!("cannot start      {why}")), "{said}");
    assert!(said.contains(&format!("thing: {why}")) && said.contains("1 left pending"), "{said}");
    assert_eq!(registry.asked(), Vec::<String>::new());
}
