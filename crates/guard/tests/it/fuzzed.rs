//! What must hold for any arguments at all: shared by the fuzz target, which looks for arguments that
//! break it, and by the tests.

#[path = "fuzzed/read_back.rs"]
mod read_back;

use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_guard::{ApprovalPrompt, OwnSecrets};
use toolgate_types::{Secret, is_hidden};

use read_back::{ReadBack, read_back};

/// A secret of the person's own.
pub(crate) const KEY: &str = "ghp_0123456789abcdefghij";

/// Any bytes: where they are JSON, everything of it is in the prompt, or covered and counted.
pub(crate) fn prompt(data: &[u8]) {
    let Ok(json) = std::str::from_utf8(data) else { return };
    // What has no one reading is refused before anybody is asked.
    let (Ok(arguments), Ok(value)) =
        (serde_json::from_str::<&RawValue>(json), serde_json::from_str::<Value>(json))
    else {
        return;
    };
    let own_secrets = OwnSecrets::default().with("GITHUB_TOKEN", &Secret::new(KEY.to_owned()));
    let prompt = ApprovalPrompt {
        client: Some("codex"),
        server: "shell",
        tool: "run",
        description: Some("Runs."),
        arguments: Some(arguments),
        trusted_schema: None,
        also_sent: None,
        effects: &[],
        done_by: &[],
        cwd: None,
        workspace: None,
        sandbox: None,
        environment: &[],
        argv: &[],
        overrides: &[],
        why: "nothing is configured",
        changes: None,
        own_secrets: &own_secrets,
    };
    let rendering = prompt.render();
    let text = rendering.text();
    assert!(!text.chars().any(|c| is_hidden(c) && c != '\n'), "{text:?}");
    assert!(!text.contains(KEY), "{text:?}");
    // In short first, in one line whatever is in it.
    let mut first = text.lines().skip(1);
    assert!(first.next().is_some_and(|line| line.starts_with("With ")), "{text}");
    assert_eq!(first.next(), Some(""), "{text}");
    let lines = text.lines().skip_while(|line| !line.starts_with("Arguments: ")).skip(1);
    let shown: Vec<&str> = lines.map_while(|line| line.strip_prefix("  | ")).collect();
    let ReadBack { value: read, covered } = read_back(&shown.join("\n"), KEY);
    assert_eq!(read, value, "{text}");
    assert_eq!(covered, rendering.covered(), "{text}");
}
