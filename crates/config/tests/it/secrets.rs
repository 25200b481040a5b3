//! `${secret:NAME}`: where it counts, who is told that it is named, and that its value is never shown.

use serde_json::json;
use toolgate_config::show;
use toolgate_types::config::HeaderValue;
use toolgate_types::{EntryKind, NamedSecrets, Secret, SecretName, SecretSource, SecretsFailure};

use crate::support::{Found, World, project_toml};

const CANARY: &str = "canary-5ec7e7";

/// One secret, `api.key`, and any other that is asked for is not there.
#[derive(Debug)]
struct OneSecret;

impl SecretSource for OneSecret {
    fn read(&self) -> Result<NamedSecrets, SecretsFailure> {
        Ok([(name("api.key"), Secret::new(CANARY.to_owned()))].into())
    }
}

#[derive(Debug)]
struct ClosedSecrets;

impl SecretSource for ClosedSecrets {
    fn read(&self) -> Result<NamedSecrets, SecretsFailure> {
        Err(SecretsFailure { why: "the file is open to others".into(), hint: "close it".into() })
    }
}

fn name(text: &str) -> SecretName {
    SecretName::parse(text).unwrap()
}

const ALL_PLACES: &str = "[servers.p]\ncommand = \"${secret:api.key}/server\"\nargs = [\"--key=${secret:api.key}\"]\n\
     cwd = \"/x/${secret:api.key}\"\nenv = { KEY = \"a${secret:api.key}b\" }\n\
     [servers.r]\nurl = \"https://example.com/${secret:api.key}\"\n\
     headers = { Authorization = \"Bearer ${secret:api.key}\" }\n\
     ca_file = \"/x/${secret:api.key}\"\noauth = { client_secret = \"${secret:api.key}\" }\n\
     [tools.t]\ncommand = \"${secret:api.key}\"\nargs = [\"${secret:api.key}\"]\nenv = { K = \"${secret:api.key}\" }\n";

/// Shows: S3-34.
#[test]
fn a_secret_counts_wherever_a_variable_does_and_is_shown_nowhere() {
    let loaded = project_toml(ALL_PLACES).secrets(OneSecret).load();
    assert_eq!(loaded.errors(), []);
    let process = loaded.stdio("p");
    assert_eq!(process.command.expose(), format!("{CANARY}/server"));
    assert_eq!(process.args[0].expose(), format!("--key={CANARY}"));
    assert_eq!(process.cwd.as_ref().unwrap().expose(), format!("/x/{CANARY}"));
    assert_eq!(process.env[0].expose(), format!("a{CANARY}b"));
    let remote = loaded.remote("r");
    assert_eq!(remote.endpoint.url().path(), format!("/{CANARY}"));
    let bearer = format!("Bearer {CANARY}");
    assert!(matches!(&remote.headers[0], HeaderValue::Given(text) if text.expose() == bearer));
    let tool = &loaded.config.tools["t"].value;
    assert_eq!((tool.command.expose(), tool.env[0].expose()), (CANARY, CANARY));
    let shown =
        [show::server(loaded.server("p")), show::server(loaded.server("r")), show::tool(tool)];
    for shown in shown {
        let shown = serde_json::Value::Object(shown).to_string();
        assert!(shown.contains("${secret:api.key}") && !shown.contains(CANARY), "{shown}");
    }
    let everything = format!("{loaded:?}");
    assert!(everything.contains("${secret:api.key}") && !everything.contains(CANARY));
    assert_eq!(loaded.config.kept_secrets[&name("api.key")].expose(), CANARY);
}

#[test]
fn who_names_a_secret_is_known_also_where_it_is_not_kept() {
    let text = "[servers.a]\ncommand = \"a\"\nenv = { K = \"${secret:api.key}${secret:NOPE}\" }\n\
                [tools.b]\ncommand = \"b\"\nargs = [\"$${secret:api.key}\", \"${secret:api.key}\"]\n\
                [servers.c]\ncommand = \"c\"\n";
    let loaded = project_toml(text).secrets(OneSecret).load();
    assert_eq!(loaded.errors(), [("unknown-secret", "servers.a.env.K")]);
    let of = |kind, id| loaded.secrets_of(kind, id).map(SecretName::as_str).collect::<Vec<_>>();
    assert_eq!(of(EntryKind::Server, "a"), ["NOPE", "api.key"]);
    assert_eq!(of(EntryKind::Tool, "b"), ["api.key"]);
    assert!(of(EntryKind::Server, "c").is_empty());
    let users = loaded.users_of(&name("api.key"));
    let users: Vec<_> = users.into_iter().map(|(kind, id)| format!("{kind} {id}")).collect();
    assert_eq!(users, ["server a", "tool b"]);
}

#[test]
fn json_keeps_it_as_text_and_says_so_unless_expansion_is_asked_for() {
    for (expand, value) in [(false, "${secret:api.key}"), (true, CANARY)] {
        let server = json!({ "command": "x", "args": ["${secret:api.key}"] });
        let text = json!({ "expand_env": expand, "servers": { "s": server } });
        let world = World::new().file("toolgate.json", text.to_string()).secrets(OneSecret);
        let loaded = world.load();
        assert_eq!(loaded.stdio("s").args[0].expose(), value);
        assert_eq!(loaded.warnings().contains(&("literal-variable", "servers.s.args")), !expand);
        assert_eq!(loaded.secrets_of(EntryKind::Server, "s").count(), usize::from(expand));
    }
}

/// What a person accepted covers the names of the secrets, and not their values.
#[test]
fn another_secret_is_another_entry_and_another_value_is_not() {
    let of = |secret: &str, world: fn(World) -> World| {
        let text = format!("[servers.s]\ncommand = \"x\"\nenv = {{ K = \"{secret}\" }}\n");
        let loaded = world(project_toml(&text).env("api", "v").env("V", "v")).load();
        loaded.entry("s").fingerprint.clone()
    };
    #[derive(Debug)]
    struct Rotated;
    impl SecretSource for Rotated {
        fn read(&self) -> Result<NamedSecrets, SecretsFailure> {
            let both = ["api.key", "other"];
            Ok(both.map(|one| (name(one), Secret::new("rotated".to_owned()))).into())
        }
    }
    let kept = of("${secret:api.key}", |world| world.secrets(OneSecret));
    assert_eq!(of("${secret:api.key}", |world| world.secrets(Rotated)), kept);
    assert_ne!(of("${secret:other}", |world| world.secrets(Rotated)), kept);
    assert_ne!(of("${V}", |world| world.secrets(Rotated)), kept);
}

#[test]
fn what_cannot_be_read_takes_away_the_entries_that_name_a_secret_and_no_others() {
    let text = "[servers.a]\ncommand = \"a\"\nargs = [\"${secret:api.key}\"]\n[servers.b]\ncommand = \"b\"\n";
    let world = project_toml(text).secrets(ClosedSecrets);
    let loaded = world.load();
    assert_eq!(loaded.ids(), ["b"]);
    assert_eq!(loaded.errors(), [("unreadable-secrets", "servers.a.args")]);
    insta::assert_snapshot!(world.render(&loaded.problems));
}
