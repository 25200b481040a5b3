//! What is written and nothing goes by yet is said, at its place, and is no error.

use toolgate_config::{Severity, UNREAD_SETTINGS};

use crate::support::World;

const EVERYTHING: &str = r#"
[gateway]
naming = "dotted"

[gateway.oauth]
issuer = "https://login.example.org"
audience = "toolgate"

[servers.remote]
url = "https://mcp.example.org"

[sandbox]
readable = ["/opt"]
"#;

#[test]
fn every_setting_of_the_table_is_warned_of_where_it_stands() {
    let loaded = World::new().global(EVERYTHING).load();
    let keys: Vec<&str> = loaded.not_yet.iter().map(|problem| problem.key.as_str()).collect();
    let expected = ["gateway.oauth"];
    assert_eq!(keys, expected);
    assert_eq!(keys.len(), UNREAD_SETTINGS.len(), "each of them is written above");
    let lines: Vec<usize> = loaded.not_yet.iter().map(|problem| problem.line).collect();
    assert!(lines.is_sorted() && lines[0] == 5, "{lines:?}");
    for problem in &loaded.not_yet {
        assert_eq!((problem.rule, problem.severity), ("not-yet", Severity::Warning));
        assert!(problem.message.starts_with("nothing goes by this yet: "), "{problem}");
    }
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
}
