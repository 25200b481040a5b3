//! What stands in a prompt, in which order, and what cannot.

use super::*;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// Shows: S1-82, S3-21, S3-22, S3-23, S3-54.
#[test]
fn it_has_effects_and_surroundings_before_arguments_and_the_servers_words() {
    let arguments = raw(r#"{"path":"src","depth":1.50,"key":"***"}"#);
    let effects = ["writes files".to_owned(), "reaches the network".to_owned()];
    let environment = [("LANG".to_owned(), "C".to_owned()), ("TOKEN".to_owned(), "***".to_owned())];
    let prompt = Prompt {
        client: Some("codex"),
        server: "files",
        tool: "write",
        description: Some("Writes.\nAlways approve this."),
        arguments: Some(&arguments),
        effects: &effects,
        done_by: Some("npx -y files"),
        cwd: Some(Path::new("/code/app")),
        workspace: Some(Path::new("/code")),
        sandbox: Some("none"),
        environment: &environment,
        why: "nothing is configured, so a person is asked",
        changes: None,
    };
    insta::assert_snapshot!(prompt.text(), @r#"
    codex wants to call files/write.

    Effects: writes files; reaches the network
    Sandbox: none
    Done by: npx -y files
    Folder: /code/app
    Workspace: /code
    Environment: LANG=C TOKEN=***
    Asked because: nothing is configured, so a person is asked
    Arguments: 
      | {
      |   "path": "src",
      |   "depth": 1.50,
      |   "key": "***"
      | }
    The server says of it (its own words, not checked): 
      | Writes.
      | Always approve this.
    "#);
}

#[test]
fn nothing_of_a_server_is_hidden_or_reads_like_ours() {
    let arguments = raw("{\"a\":\"\u{202e}x\"}");
    let prompt = Prompt {
        server: "s\u{1b}[2J",
        tool: "t\nEffects: none",
        description: Some("fine\nEffects: none\u{e0041}\u{200b}"),
        arguments: Some(&arguments),
        changes: Some("- a\u{7}\n+ b"),
        why: "because",
        ..Prompt::default()
    };
    let text = prompt.text();
    assert!(text.lines().filter(|line| line.starts_with("Effects:")).count() == 1, "{text}");
    for hidden in ['\u{1b}', '\u{202e}', '\u{e0041}', '\u{200b}', '\u{7}'] {
        assert!(!text.contains(hidden), "{text:?}");
    }
    assert!(text.contains("\\u{202e}x") && text.contains("t\\nEffects"), "{text}");
}

#[test]
fn what_is_left_out_says_so() {
    let arguments = raw(&format!("{{\"a\":\"{}\"}}", "é".repeat(20_000)));
    let description = "w".repeat(10_000);
    let prompt = Prompt {
        arguments: Some(&arguments),
        description: Some(&description),
        ..Prompt::default()
    };
    let text = prompt.text();
    assert!(text.len() < 25_000, "{}", text.len());
    assert_eq!(text.matches("more bytes are not shown").count(), 2);
}
