//! Forbidden edges are found, in the answer of cargo and in a real workspace.
//!
//! The samples are built from the table's words; no crate of theirs is compiled.

use crate::sample::{lines, repository};
use serde_json::{Value, json};
use xtask::tidy::imports::{CargoMetadata, TABLE, check, edges, features};

/// A workspace of one package.
fn workspace(package: &str, folder: &str, dependencies: &Value) -> CargoMetadata {
    let text = json!({
        "packages": [{
            "id": package,
            "name": package,
            "manifest_path": format!("/repo/{folder}/Cargo.toml"),
            "dependencies": dependencies,
        }],
        "workspace_members": [package],
        "workspace_root": "/repo",
    });
    CargoMetadata::parse(&text.to_string()).unwrap()
}

fn judge(room: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
    let (package, folder) = match room {
        "xtask" => ("xtask".to_owned(), "xtask".to_owned()),
        "cli" => ("toolgate".to_owned(), "crates/cli".to_owned()),
        _ => (format!("toolgate-{room}"), format!("crates/{room}")),
    };
    lines(&edges(&workspace(&package, &folder, &json!([{ "name": dependency, "kind": kind }]))))
}

#[test]
fn every_edge_outside_the_table_is_found() {
    for (_, room, uses) in TABLE {
        for (_, used, _) in TABLE.into_iter().filter(|(_, used, _)| *used != "cli") {
            let found = judge(room, &format!("toolgate-{used}"), None);
            assert_eq!(found.is_empty(), uses.contains(&used), "{room} → {used}: {found:?}");
            let found = judge(room, &format!("toolgate-{used}"), Some("build"));
            assert_eq!(found.is_empty(), uses.contains(&used), "build of {room} → {used}");
        }
        assert_eq!(judge(room, "toolgate", None).len(), 1, "{room} → the binary");
        assert_eq!(judge(room, "toolgate-testkit", None).len(), 1, "{room} ships testkit");
        assert!(judge(room, "toolgate-testkit", Some("dev")).is_empty(), "{room} tests");
    }
}

#[test]
fn tests_may_use_lower_rooms_and_no_higher_ones() {
    assert!(judge("guard", "toolgate-config", Some("dev")).is_empty());
    assert_eq!(
        judge("config", "toolgate-host", Some("dev")),
        ["0: `config` may not import `host`, not even in tests"]
    );
    assert_eq!(judge("config", "toolgate-store", Some("dev")).len(), 1);
}

#[test]
fn testkit_and_xtask_see_only_what_they_need() {
    for (room, used, fine) in [
        ("testkit", "types", true),
        ("testkit", "wire", true),
        ("testkit", "host", false),
        ("xtask", "config", true),
        ("xtask", "types", true),
        ("xtask", "store", false),
    ] {
        assert_eq!(
            judge(room, &format!("toolgate-{used}"), None).is_empty(),
            fine,
            "{room} {used}"
        );
    }
}

#[test]
fn foreign_crates_stay_in_their_place() {
    for (dependency, place, elsewhere) in [
        ("rmcp", "auth", "upstream"),
        ("rmcp", "testkit", "gateway"),
        ("clap", "cli", "config"),
        ("anyhow", "cli", "host"),
        ("rusqlite", "store", "audit"),
    ] {
        for kind in [None, Some("dev")] {
            assert!(judge(place, dependency, kind).is_empty(), "{place} {dependency}");
            assert_eq!(judge(elsewhere, dependency, kind).len(), 1, "{elsewhere} {dependency}");
        }
    }
    assert!(judge("xtask", "anyhow", None).is_empty());
    assert!(judge("wire", "serde", None).is_empty());
}

#[test]
fn strange_packages_are_found() {
    let found = |package, folder| lines(&edges(&workspace(package, folder, &json!([]))));
    assert_eq!(found("helper", "crates/helper").len(), 1);
    assert_eq!(found("toolgate-utils", "crates/utils").len(), 1);
    assert_eq!(found("toolgate-wire", "crates/cable").len(), 1);
    assert!(found("toolgate-wire", "crates/wire").is_empty());
}

#[test]
fn imprecise_numbers_are_found_wherever_they_are_enabled() {
    let dependency = json!([{ "name": "serde_json", "features": ["arbitrary_precision"] }]);
    assert_eq!(edges(&workspace("toolgate-wire", "crates/wire", &dependency)).len(), 1);
    let resolved = |feature: &str| {
        let text = json!({
            "packages": [{ "id": "j", "name": "serde_json", "manifest_path": "", "dependencies": [] }],
            "workspace_members": [],
            "resolve": { "nodes": [{ "id": "j", "features": ["std", feature] }] },
        });
        features(&CargoMetadata::parse(&text.to_string()).unwrap())
    };
    assert_eq!(resolved("arbitrary_precision").len(), 1);
    assert!(resolved("raw_value").is_empty());
}

#[test]
fn a_real_workspace_is_judged() {
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}")
    };
    let uses_wire = "[dependencies]\ntoolgate-wire = { path = \"../wire\" }\n";
    let (_folder, repository) = repository(&[
        ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n"),
        ("crates/wire/Cargo.toml", &manifest("toolgate-wire", "")),
        ("crates/wire/src/lib.rs", ""),
        ("crates/host/Cargo.toml", &manifest("toolgate-host", uses_wire)),
        ("crates/host/src/lib.rs", ""),
    ]);
    let findings = check(&repository).unwrap();
    assert_eq!(lines(&findings), ["0: `host` may not import `wire`"]);
    assert_eq!(findings[0].file, "crates/host/Cargo.toml");
}

/// A core that knows only the trait `Tool` knows no transport: it does not even compile one.
///
/// Shows: S1-18, C22.
#[test]
fn what_the_trait_of_a_tool_depends_on_has_no_http_and_no_sdk() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "-p", "toolgate-types", "-e", "normal", "--prefix", "none", "--offline"])
        .current_dir(xtask::repository::root().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    let crates: Vec<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(crates.contains(&"toolgate-types") && crates.contains(&"serde_json"), "{crates:?}");
    for foreign in ["http", "hyper", "reqwest", "rmcp", "rustls", "tokio", "toolgate-wire"] {
        assert!(!crates.contains(&foreign), "{foreign} among {crates:?}");
    }
}
