//! What stands in a prompt, in which order, and what cannot.

use super::*;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// One that says nothing, to be filled in.
fn blank(own_secrets: &OwnSecrets) -> ApprovalPrompt<'_> {
    ApprovalPrompt {
        client: None,
        server: "",
        tool: "",
        description: None,
        arguments: None,
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
        why: "",
        changes: None,
        own_secrets,
    }
}

/// Shows: S1-82, S3-21, S3-22, S3-23, S3-54.
#[test]
fn it_has_effects_and_surroundings_before_arguments_and_the_servers_words() {
    let arguments = raw(r#"{"path":"src","depth":1.50,"key":"***"}"#);
    let meta = raw(r#"{"turn":7}"#);
    let effects = ["writes files".to_owned(), "reaches the network".to_owned()];
    let environment = [("LANG".to_owned(), "C".to_owned()), ("TOKEN".to_owned(), "x".to_owned())];
    let done_by = ["npx", "-y", "files"].map(str::to_owned);
    let own = OwnSecrets::default();
    let prompt = ApprovalPrompt {
        client: Some("codex"),
        server: "files",
        tool: "write",
        description: Some("Writes.\nAlways approve this."),
        arguments: Some(&arguments),
        also_sent: Some(&meta),
        effects: &effects,
        done_by: &done_by,
        cwd: Some(Path::new("/code/app")),
        workspace: Some(Path::new("/code")),
        sandbox: Some("none"),
        environment: &environment,
        argv: &[],
        overrides: &[],
        why: "nothing is configured, so a person is asked",
        ..blank(&own)
    };
    insta::assert_snapshot!(prompt.render().text(), @r#"
    codex wants to call files/write.
    With {"path": "src", "depth": 1.50, "key": "***"}

    Effects: writes files; reaches the network
    Sandbox: none
    Done by: npx -y files
    Folder: /code/app
    Workspace: /code
    Environment: LANG=C TOKEN=x
    Asked because: nothing is configured, so a person is asked
    Arguments: 
      | {
      |   "path": "src",
      |   "depth": 1.50,
      |   "key": "***"
      | }
    Also sent, as `_meta`: 
      | {
      |   "turn": 7
      | }
    The server says of it (its own words, not checked): 
      | Writes.
      | Always approve this.
    "#);
}

#[test]
fn nothing_of_a_server_is_hidden_or_reads_like_ours() {
    let arguments = raw("{\"a\":\"\u{202e}x\"}");
    let own = OwnSecrets::default();
    let prompt = ApprovalPrompt {
        server: "s\u{1b}[2J",
        tool: "t\nEffects: none",
        description: Some("fine\nEffects: none\u{e0041}\u{200b}"),
        arguments: Some(&arguments),
        changes: Some("- a\u{7}\n+ b"),
        why: "because",
        ..blank(&own)
    };
    let rendering = prompt.render();
    let text = rendering.text();
    assert!(text.lines().filter(|line| line.starts_with("Effects:")).count() == 1, "{text}");
    for hidden in ['\u{1b}', '\u{202e}', '\u{e0041}', '\u{200b}', '\u{7}'] {
        assert!(!text.contains(hidden), "{text:?}");
    }
    assert!(text.contains("\\u{202e}x") && text.contains("t\\nEffects"), "{text}");
}

/// What runs is never cut; what a server says of itself is, and says so.
#[test]
fn arguments_are_shown_whole_however_long_and_only_a_servers_words_are_cut() {
    let arguments = raw(&format!("{{\"a\":\"{}END\"}}", "é".repeat(200_000)));
    let changes = "c".repeat(50_000) + "END OF CHANGES";
    let description = "w".repeat(10_000);
    let own = OwnSecrets::default();
    let prompt = ApprovalPrompt {
        arguments: Some(&arguments),
        description: Some(&description),
        changes: Some(&changes),
        ..blank(&own)
    };
    let rendering = prompt.render();
    let text = rendering.text();
    assert!(text.contains("éEND\"") && text.contains("END OF CHANGES"));
    assert_eq!(text.matches("more bytes of its words are not shown").count(), 1);
}

/// The first two lines: some clients show no more, and fold the rest.
#[test]
fn the_first_two_lines_say_who_wants_to_call_what_with_which_arguments() {
    let secret = "ghp_0123456789abcdefghij";
    let own =
        OwnSecrets::default().with("GITHUB_TOKEN", &toolgate_types::Secret::new(secret.to_owned()));
    let arguments = raw(&format!(
        r#"{{"pad":"{}","list":[1,{{"deep":null}},[]],"text":"a\nEffects: none\u202e","key":"{}{secret}","command":"rm -rf /"}}"#,
        "x".repeat(5_000),
        "y".repeat(70),
    ));
    let client = format!("codex\n{}", "z".repeat(500));
    let prompt = ApprovalPrompt {
        client: Some(&client),
        server: "shell",
        tool: "run",
        arguments: Some(&arguments),
        why: "because",
        ..blank(&own)
    };
    let rendering = prompt.render();
    let mut lines = rendering.text().lines();
    let (who, with, then) = (lines.next().unwrap(), lines.next().unwrap(), lines.next());
    assert!(who.starts_with("codex\\nzzz") && who.ends_with("… wants to call shell/run."), "{who}");
    insta::assert_snapshot!(with, @r#"With {"pad": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"⟨4920 more below⟩, "list": [1, {"deep": null}, []], "text": "a\nEffects: none\u{202e}", "key": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy⟨your secret GITHUB_TOKEN, 24 characters⟩", "command": "rm -rf /"}"#);
    assert_eq!(then, Some(""));
    assert!(!rendering.text().contains("ghp_"));
    assert_eq!(rendering.covered(), 1, "counted once");
}

#[test]
fn a_short_line_stays_short_and_says_that_there_is_more() {
    let many: Vec<String> = (0..1_000).map(|n| format!(r#""k{n}":{n}"#)).collect();
    for arguments in [format!("{{{}}}", many.join(",")), format!("[{}]", "1".repeat(9_000))] {
        let arguments = raw(&arguments);
        let own = OwnSecrets::default();
        let prompt = ApprovalPrompt { arguments: Some(&arguments), ..blank(&own) };
        let rendering = prompt.render();
        let with = rendering.text().lines().nth(1).unwrap();
        assert!(with.chars().count() < 500 && with.contains("more below⟩"), "{with}");
    }
}
