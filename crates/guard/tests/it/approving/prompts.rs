//! What a person reads of a command tool before they decide.

use std::path::Path;

use toolgate_guard::{CommandFacts, Prompt, effects_of, effects_of_command};
use toolgate_types::config::{SandboxProfile, SideEffect, SideEffects};
use toolgate_types::{Hints, Masker, Secret, Trust};

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
        allow_network: true,
        requires_approval: false,
        cwd: Path::new("/code/project/deploy"),
    };
    let masker = Masker::default().with([&Secret::new("hunter2-and-more".to_owned())]);
    let arguments = json(
        r#"{"target":"prod","passphrase":"open sesame","pin":"4711","nested":{"note":"psst","n":1.50},"log":"with hunter2-and-more"}"#,
    );
    let masked = json(&masker.mask_arguments(&arguments, Some(&json(SCHEMA))));
    let environment =
        [("STAGE".to_owned(), "prod".to_owned()), ("TOKEN".to_owned(), "***".to_owned())];
    let effects = effects_of_command(&facts);
    let prompt = Prompt {
        client: Some("codex"),
        server: "local",
        tool: "deploy",
        description: Some("Ships it."),
        arguments: Some(&masked),
        effects: &effects,
        done_by: Some("./deploy.sh {{target}}"),
        cwd: Some(facts.cwd),
        workspace: Some(Path::new("/code/project")),
        sandbox: Some(facts.profile.as_str()),
        environment: &environment,
        why: "of high risk: it writes files",
        changes: None,
    };
    insta::assert_snapshot!(prompt.text(), @r#"
    codex wants to call local/deploy.

    Effects: WRITES FILES; USES THE NETWORK; the network is open to it
    Sandbox: default
    Done by: ./deploy.sh {{target}}
    Folder: /code/project/deploy
    Workspace: /code/project
    Environment: STAGE=prod TOKEN=***
    Asked because: of high risk: it writes files
    Arguments: 
      | {
      |   "target": "prod",
      |   "passphrase": "***",
      |   "pin": "***",
      |   "nested": {
      |     "note": "***",
      |     "n": 1.50
      |   },
      |   "log": "with ***"
      | }
    The server says of it (its own words, not checked): 
      | Ships it.
    "#);
    for secret in ["open sesame", "4711", "psst", "hunter2"] {
        assert!(!prompt.text().contains(secret), "{secret}");
    }
}

/// Shows: S3-23, G3.
#[test]
fn what_a_command_tool_may_do_is_said_and_what_nobody_declared_may_be_anything() {
    let says = |side_effects: &SideEffects, profile, allow_network| {
        let cwd = Path::new("/");
        let requires_approval = false;
        let facts = CommandFacts { side_effects, profile, allow_network, requires_approval, cwd };
        effects_of_command(&facts).join("; ")
    };
    let (confined, unconfined) = (SandboxProfile::Default, SandboxProfile::None);
    let reads = SideEffects::Declared(vec![SideEffect::FsRead]);
    let nothing = SideEffects::Declared(Vec::new());
    assert_eq!(says(&reads, confined, false), "reads files");
    assert_eq!(says(&nothing, confined, false), "none declared");
    assert_eq!(says(&nothing, confined, true), "none declared; the network is open to it");
    assert_eq!(says(&nothing, unconfined, false), "none declared; runs OUTSIDE THE SANDBOX");
    let undeclared = says(&SideEffects::NotDeclared, confined, false);
    assert_eq!(undeclared, "not declared, so it may be anything");
}

/// Shows: S1-83.
#[test]
fn what_a_server_says_of_its_tool_is_told_as_what_it_says() {
    let says = |read_only, destructive, open_world, trust| {
        let hints = Hints { read_only, destructive, idempotent: None, open_world };
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
