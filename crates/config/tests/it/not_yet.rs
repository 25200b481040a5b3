//! Whatever is written is gone by: nothing waits in the table of what is not.

use toolgate_config::UNREAD_SETTINGS;

use crate::support::World;

const EVERYTHING: &str = r#"
[gateway]
naming = "dotted"

[servers.remote]
url = "https://mcp.example.org"
auth_provider = "corp"

[sandbox]
readable = ["/opt"]
"#;

#[test]
fn nothing_is_read_that_nothing_goes_by() {
    assert!(UNREAD_SETTINGS.is_empty(), "whoever adds a row shows here that it is warned of");
    let loaded = World::new().global(EVERYTHING).load();
    assert!(loaded.not_yet.is_empty(), "{:?}", loaded.not_yet);
    assert!(loaded.problems.iter().all(|problem| problem.rule != "not-yet"));
}
