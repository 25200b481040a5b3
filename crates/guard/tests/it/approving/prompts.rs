//! What a person reads of a command tool before they decide.

use std::path::Path;

use toolgate_guard::{ApprovalPrompt, CommandFacts, OwnSecrets, effects_of, effects_of_command};
use toolgate_types::config::{NamedHost, NetworkAccess, SandboxProfile, SideEffect, SideEffects};
use toolgate_types::{Secret, ToolHints, Trust};

use super::json;

const SCHEMA: &str = r#"{"type":"object","properties":{
    "target":{"type":"string"},
    "passphrase":{"type":"string","writeOnly":true},
    "pin":{"type":"string","format":"password"},
    "nested":{"type":"object","properties":{"note":{"type":"string","x-secret":true}}}
}}"#;

/// Shows: S3-21, S3-22, S3-23, S3-24, S3-54.
#[test]
fn a_command_tool_is_shown_with_its_effects_its_place_and_no_secret() {
    let effects = SideEffects::Declared(vec![SideEffect::FsWrite, SideEffect::Network]);
    let facts = CommandFacts {
        side_effects: &effects,
        profile: SandboxProfile::Default,
        network: &NetworkAccess::Everything,
        requires_approval: false,
        cwd: Path::new("/code/project/deploy"),
    };
    let own = OwnSecrets::default().with("DEPLOY_KEY", &Secret::new("hunter2-and-more".to_owned()));
    let arguments = json(
        r#"{"target":"prod","passphrase":"open sesame","pin":"4711","nested":{"note":"psst","n":1.50},"log":"with hunter2-and-more"}"#,
    );
    let schema = json(SCHEMA);
    let environment = [
        ("STAGE".to_owned(), "prod".to_owned()),
        ("KEY".to_owned(), "hunter2-and-more".to_owned()),
    ];
    let done_by = ["./deploy.sh", "{{target}}"].map(str::to_owned);
    let effects = effects_of_command(&facts);
    let prompt = ApprovalPrompt {
        client: Some("codex"),
        server: "local",
        tool: "deploy",
        description: Some("Ships it."),
        arguments: Some(&arguments),
        trusted_schema: Some(&schema),
        also_sent: None,
        effects: &effects,
        done_by: &done_by,
        cwd: Some(facts.cwd),
        workspace: Some(Path::new("/code/project")),
        sandbox: Some(facts.profile.as_str()),
        environment: &environment,
        argv: &[],
        overrides: &[],
        why: "of high risk: it writes files",
        changes: None,
        own_secrets: &own,
    };
    let shown = prompt.render();
    insta::assert_snapshot!(shown.text(), @r#"
    codex wants to call local/deploy.
    With {"target": "prod", "passphrase": ⟨secret parameter passphrase, 11 characters⟩, "pin": ⟨secret parameter pin, 4 characters⟩, "nested": {"note": ⟨secret parameter note, 4 characters⟩, "n": 1.50}, "log": "with ⟨your secret DEPLOY_KEY, 16 characters⟩"}

    Effects: WRITES FILES; USES THE NETWORK; the network is open to it
    Sandbox: default
    Done by: ./deploy.sh {{target}}
    Folder: /code/project/deploy
    Workspace: /code/project
    Environment: STAGE=prod KEY=⟨your secret DEPLOY_KEY, 16 characters⟩
    Asked because: of high risk: it writes files
    Arguments: 
      | {
      |   "target": "prod",
      |   "passphrase": ⟨secret parameter passphrase, 11 characters⟩,
      |   "pin": ⟨secret parameter pin, 4 characters⟩,
      |   "nested": {
      |     "note": ⟨secret parameter note, 4 characters⟩,
      |     "n": 1.50
      |   },
      |   "log": "with ⟨your secret DEPLOY_KEY, 16 characters⟩"
      | }
    Covered: 5 values are not shown, 51 characters in all
    The server says of it (its own words, not checked): 
      | Ships it.
    "#);
    for secret in ["open sesame", "4711", "psst", "hunter2"] {
        assert!(!shown.text().contains(secret), "{secret}");
    }
    assert_eq!(shown.covered(), 5);
    // Whoever asks to see the parameters sees them; the person's own secrets stay covered.
    let full = prompt.render_in_full().unwrap();
    for secret in ["open sesame", "4711", "psst"] {
        assert!(full.text().contains(secret), "{secret}");
    }
    assert!(!full.text().contains("hunter2"));
    // A schema that is not trusted covers nothing.
    let untrusted = ApprovalPrompt { trusted_schema: None, ..prompt };
    assert_eq!(untrusted.render(), full);
    assert_eq!(untrusted.render_in_full(), None);
}

/// Shows: S3-23, G3.
#[test]
fn what_a_command_tool_may_do_is_said_and_what_nobody_declared_may_be_anything() {
    let says = |side_effects: &SideEffects, profile, network: &NetworkAccess| {
        let cwd = Path::new("/");
        let requires_approval = false;
        let facts = CommandFacts { side_effects, profile, network, requires_approval, cwd };
        effects_of_command(&facts).join("; ")
    };
    let (off, open) = (&NetworkAccess::Off, &NetworkAccess::Everything);
    let github = NamedHost::parse("api.github.com").unwrap();
    let named = &NetworkAccess::Named(vec![github]);
    let (confined, unconfined) = (SandboxProfile::Default, SandboxProfile::None);
    let reads = SideEffects::Declared(vec![SideEffect::FsRead]);
    let nothing = SideEffects::Declared(Vec::new());
    assert_eq!(says(&reads, confined, off), "reads files");
    assert_eq!(says(&nothing, confined, off), "none declared");
    assert_eq!(says(&nothing, confined, open), "none declared; the network is open to it");
    assert_eq!(says(&nothing, confined, named), "none declared; reaches api.github.com:443");
    assert_eq!(says(&nothing, unconfined, off), "none declared; runs OUTSIDE THE SANDBOX");
    let undeclared = says(&SideEffects::NotDeclared, confined, off);
    assert_eq!(undeclared, "not declared, so it may be anything");
}

/// Shows: S1-83.
#[test]
fn what_a_server_says_of_its_tool_is_told_as_what_it_says() {
    let says = |read_only, destructive, open_world, trust| {
        let hints = ToolHints { read_only, destructive, idempotent: None, open_world };
        effects_of(hints, trust).join("; ")
    };
    let (yes, no) = (Some(true), Some(false));
    let untrusted = says(yes, no, no, Trust::Untrusted);
    assert_eq!(
        untrusted,
        "only reads; stays within what the server has; as the server says, which is not trusted"
    );
    let torn = says(yes, yes, yes, Trust::Trusted);
    assert_eq!(
        torn, "may destroy or overwrite something; reaches the outside world; as the server says",
        "the worse of two counts"
    );
    assert_eq!(
        says(no, no, None, Trust::Trusted),
        "changes something, destroys nothing; as the server says"
    );
    assert_eq!(says(None, None, None, Trust::Trusted), "not declared, so it may be anything");
}
