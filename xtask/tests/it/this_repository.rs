//! Every check of `tidy` on this repository, one test each, so that a failure has the rule's name.
//!
//! What a check finds is shown beside it, on samples.

use xtask::tidy::CHECKS;
use xtask::{Repository, repository};

macro_rules! holds {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                hold(stringify!($name));
            }
        )*

        #[test]
        fn every_check_has_its_test() {
            let checks: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            assert_eq!(checks, [$(stringify!($name)),*]);
        }
    };
}

holds! {
    imports circles type_names openings spawning sql raw_json no_policy printing terminal requirements settings generated
    workplace size
}

#[test]
fn the_repository_is_really_looked_at() {
    let repository = Repository::open(&repository::root().unwrap()).unwrap();
    let files: Vec<&str> = repository.rust_files().collect();
    for file in ["crates/types/src/lib.rs", "crates/cli/src/main.rs", "xtask/src/lib.rs"] {
        assert!(files.contains(&file), "{file}: {files:?}");
    }
}

/// Shows: S0-48.
#[test]
fn one_command_builds_one_tests_and_one_checks_as_the_readme_says() {
    let root = repository::root().unwrap();
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let readme = read("README.md");
    let ci = read(".ci/run");
    for command in ["cargo run --release -- serve", "cargo test --workspace"] {
        assert!(readme.contains(command), "README.md does not say `{command}`");
    }
    for command in ["scripts/tests.sh", "\"$xtask\" tidy", "cargo clippy", "cargo fmt"] {
        assert!(ci.contains(&format!("\nstep {command}")), ".ci/run does not run `{command}`");
    }
    assert!(
        read("scripts/tests.sh").contains("\ncargo test --workspace --no-fail-fast \"$@\" 2>&1")
    );
    assert!(read("Cargo.toml").contains("default-members = [\"crates/cli\"]"));
}

/// Shows: E-10. Both sides, all that is about logins with them; what fails is listed with its reason.
#[test]
fn the_conformance_suite_runs_in_ci_and_what_fails_is_listed_with_its_reason() {
    let root = repository::root().unwrap();
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (ci, client) = (read(".ci/run"), read("scripts/conformance-client.sh"));
    for script in ["scripts/conformance-client.sh", "scripts/conformance-server.sh"] {
        assert!(ci.contains(&format!("step env CI=1 {script}")), "{script} is not run");
    }
    for (version, revisions) in [
        ("CONFORMANCE_VERSION", &["2025-03-26", "2025-11-25", "draft", "extension"]),
        ("CONFORMANCE_NEXT_VERSION", &["2025-03-26", "2025-11-25", "2026-07-28", "extension"]),
    ] {
        for revision in revisions {
            let line = format!("suite \"${version}\" {revision}");
            assert!(client.contains(&line), "`{line}` is not played");
        }
    }
    let listed = read("tests/conformance/expected-failures.txt");
    for line in listed.lines().filter(|line| !line.starts_with('#')) {
        assert!(line.split_whitespace().count() >= 8, "no reason: {line}");
    }
}

fn hold(name: &str) {
    let repository = Repository::open(&repository::root().unwrap()).unwrap();
    let check = CHECKS.iter().find(|check| check.name == name).unwrap();
    let findings = (check.run)(&repository).unwrap();
    let report: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{name}:\n{}", report.join("\n"));
}
