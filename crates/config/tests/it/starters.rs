//! The files that people begin with: as they are written, and with everything taken into use.

use toolgate_config::{EditScope, McpConfigLoadResult, starter_text};

use crate::support::World;

/// Without what makes comments of it.
fn taken_into_use(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("#:") {
        Some(rest) => format!("{}\n", rest.strip_prefix(' ').unwrap_or(rest)),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn is_well(loaded: &McpConfigLoadResult) {
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert!(loaded.rejected.is_empty(), "{:?}", loaded.rejected);
}

#[test]
fn what_a_project_begins_with_says_nothing_and_everything_in_it_can_be_taken_into_use() {
    let text = starter_text(EditScope::Project);
    let plain = World::new().file("toolgate.toml", text).load();
    is_well(&plain);
    assert!(plain.config.servers.is_empty() && plain.config.tools.is_empty());
    let used = World::new().file("toolgate.toml", taken_into_use(text)).load();
    is_well(&used);
    let ids: Vec<&str> = used.config.servers.keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["files", "tickets", "repo"]);
    assert!(used.config.tools.contains_key("unit_tests"));
}

#[test]
fn what_a_person_begins_with_says_nothing_and_everything_in_it_can_be_taken_into_use() {
    let text = starter_text(EditScope::Global);
    let plain = World::new().global(text).load();
    is_well(&plain);
    assert!(plain.config.servers.is_empty());
    let used = World::new().global(&taken_into_use(text)).load();
    is_well(&used);
    assert_eq!(used.config.servers.len(), 2);
}
