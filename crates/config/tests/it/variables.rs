//! `${NAME}`: where it is expanded, where it stays text, and that what it became is never shown.

use serde_json::json;
use toolgate_config::show;
use toolgate_types::config::HeaderValue;

use crate::samples::normalised;
use crate::support::{Found, World, project_toml};

const CANARY: &str = "canary-7f3a";

/// Shows: C2.
#[test]
fn toml_expands_in_everything_that_reaches_a_process_or_a_server() {
    let world = project_toml(
        "[servers.p]\ncommand = \"${DIR}/server\"\nargs = [\"--at=${DIR}\", \"a$${DIR}\"]\n\
         cwd = \"${DIR}\"\nenv = { HERE = \"${DIR}:${EMPTY}\" }\n\
         [servers.r]\nurl = \"https://${HOST}/mcp\"\nheaders = { X-Dir = \"in ${DIR}\" }\n\
         ca_file = \"${DIR}/ca.pem\"\noauth = { token_url = \"https://${HOST}/t\", client_secret = \"${DIR}\" }\n\
         [tools.t]\ncommand = \"${DIR}/tool\"\nargs = [\"${DIR}\"]\n",
    )
    .env("DIR", "/d")
    .env("EMPTY", "")
    .env("HOST", "h.example.com");
    let loaded = world.load_clean();
    let process = loaded.stdio("p");
    assert_eq!(process.command.expose(), "/d/server");
    let args: Vec<&str> = process.args.iter().map(|arg| arg.expose()).collect();
    assert_eq!(args, ["--at=/d", "a${DIR}"]);
    assert_eq!(process.cwd.as_ref().unwrap().expose(), "/d");
    assert_eq!(process.env[0].expose(), "/d:");
    assert!(process.command.is_secret() && process.env[0].is_secret());
    let remote = loaded.remote("r");
    assert_eq!(remote.endpoint.url().as_str(), "https://h.example.com/mcp");
    assert!(matches!(&remote.headers[0], HeaderValue::Given(text) if text.expose() == "in /d"));
    assert_eq!(remote.ca_file.as_ref().unwrap().expose(), "/d/ca.pem");
    let oauth = remote.oauth.as_ref().unwrap();
    assert_eq!(oauth.token_url.as_ref().unwrap().url().host_str(), Some("h.example.com"));
    assert_eq!(oauth.client_secret.as_ref().unwrap().expose(), "/d");
    let tool = &loaded.config.tools["t"].value;
    assert_eq!((tool.command.expose(), tool.args[0].expose()), ("/d/tool", "/d"));
}

fn json_server(expand: bool) -> World {
    let server = json!({ "command": "x", "args": ["${TOKEN}"], "env": { "K": "${TOKEN}" } });
    let text = json!({ "expand_env": expand, "servers": { "s": server } });
    World::new().file("toolgate.json", text.to_string()).env("TOKEN", CANARY)
}

/// Shows: S1-31, C2.
#[test]
fn json_keeps_it_as_text_and_says_so_unless_expansion_is_asked_for() {
    let loaded = json_server(false).load();
    assert_eq!(loaded.stdio("s").args[0].expose(), "${TOKEN}");
    let lints = [("literal-variable", "servers.s.args"), ("literal-variable", "servers.s.env.K")];
    assert_eq!((loaded.warnings(), loaded.errors()), (lints.to_vec(), vec![]));
    let loaded = json_server(true).load_clean();
    assert_eq!(loaded.stdio("s").args[0].expose(), CANARY);
    assert_eq!(loaded.stdio("s").env[0].expose(), CANARY);
    // Inline JSON and overrides are JSON too.
    let inline = json!({ "servers": { "s": { "command": "${TOKEN}" } } });
    let world = World::new().env("TOOLGATE_CONFIG_JSON", inline.to_string()).env("TOKEN", CANARY);
    assert_eq!(world.load().stdio("s").command.expose(), "${TOKEN}");
}

/// Shows: C2, S1-55.
#[test]
fn an_unset_variable_rejects_its_entry_alone_and_is_never_sent_as_text() {
    let world = project_toml(
        "[servers.bad]\nurl = \"https://example.com/mcp\"\nheaders = { A = \"${UNSET}\" }\n\
         [servers.good]\ncommand = \"x\"\n[tools.bad]\ncommand = \"x\"\nargs = [\"${UNSET}\"]\n",
    );
    let loaded = world.load();
    assert_eq!(loaded.ids(), ["good"]);
    assert!(loaded.config.tools.is_empty());
    assert_eq!(
        loaded.errors(),
        [("unset-variable", "servers.bad.headers.A"), ("unset-variable", "tools.bad.args")]
    );
    assert_eq!(loaded.rejected[0].reason, "the variable UNSET is not set");
    assert!(!format!("{:?}", loaded.config).contains("UNSET"));
}

/// Shows: S1-32.
#[test]
fn a_client_secret_in_plain_text_draws_a_warning_that_says_where_it_belongs() {
    let toml = |secret: &str| {
        project_toml(&format!(
            "[servers.s]\nurl = \"https://example.com\"\noauth = {{ client_secret = \"{secret}\" }}\n"
        ))
        .env("SECRET", CANARY)
    };
    let loaded = toml(CANARY).load();
    assert_eq!(loaded.warnings(), [("plain-secret", "servers.s.oauth.client_secret")]);
    let help = loaded.problems[0].help.as_deref().unwrap();
    assert!(help.contains("at login") && help.contains("`${VAR}`"), "{help}");
    toml("${SECRET}").load_clean();
}

#[test]
fn each_load_resolves_afresh() {
    let world = project_toml("[servers.s]\ncommand = \"x\"\nenv = { K = \"${ROTATED}\" }\n");
    assert_eq!(world.load().ids(), Vec::<&str>::new());
    let world = world.env("ROTATED", "first");
    let first = world.load_clean();
    let world = world.env("ROTATED", "second");
    let second = world.load_clean();
    assert_eq!(first.stdio("s").env[0].expose(), "first");
    assert_eq!(second.stdio("s").env[0].expose(), "second");
    assert_eq!(first.entry("s").fingerprint, second.entry("s").fingerprint);
}

/// A configuration that holds the canary wherever a secret is usually put.
fn full_of_secrets() -> World {
    let toml = format!(
        "[servers.r]\nurl = \"https://example.com/mcp?key={CANARY}&x=${{TOKEN}}\"\n\
         headers = {{ Authorization = \"Bearer {CANARY}\", X-Plain = \"{CANARY}\", X-Var = \"${{TOKEN}}\" }}\n\
         oauth = {{ client_secret = \"{CANARY}\", token_url = \"https://example.com/t?k={CANARY}\" }}\n\
         [servers.p]\ncommand = \"${{TOKEN}}\"\n\
         args = [\"--api-key\", \"{CANARY}\", \"--token={CANARY}\", \"-H\", \"Authorization: Bearer {CANARY}\", \
         \"-e\", \"GITHUB_TOKEN={CANARY}\", \"ghp_{CANARY}\", \"${{TOKEN}}\"]\n\
         cwd = \"${{TOKEN}}\"\nenv = {{ API_KEY = \"{CANARY}\", OPAQUE = \"sk-{CANARY}\", VAR = \"${{TOKEN}}\" }}\n\
         [tools.t]\ncommand = \"x\"\nargs = [\"--password\", \"{CANARY}\"]\nenv = {{ DB_PASSWORD = \"{CANARY}\" }}\n"
    );
    let inline = json!({ "servers": {
        "j": { "command": "x", "args": [format!("--secret={CANARY}${{LITERAL}}")],
            "env": { "K": "v", "MY_SECRET": CANARY } },
        "u": { "url": format!("https://example.com/?token={CANARY}") },
    }});
    project_toml(&toml)
        .env("TOOLGATE_CONFIG_JSON", inline.to_string())
        .env("TOKEN", format!("/{CANARY}"))
}

#[test]
fn no_secret_shows_in_any_way_a_loaded_configuration_can_be_printed() {
    let world = full_of_secrets();
    let loaded = world.load();
    assert_eq!(loaded.errors(), []);
    let shown = serde_json::to_string(&normalised(&loaded.config)).unwrap();
    for (what, text) in [
        ("Debug of the result", format!("{loaded:?}")),
        ("pretty Debug of the configuration", format!("{:#?}", loaded.config)),
        ("show", shown.clone()),
        ("problems", world.render(&loaded.problems)),
        ("Display of an endpoint", loaded.remote("r").endpoint.to_string()),
        ("Display of an argument", loaded.stdio("p").args[1].to_string()),
    ] {
        assert!(!text.contains(CANARY), "{what}: {text}");
    }
    // They are there all the same, for whoever uses them.
    let args: Vec<&str> = loaded.stdio("p").args.iter().map(|arg| arg.expose()).collect();
    assert_eq!(args.iter().filter(|arg| arg.contains(CANARY)).count(), 6);
    assert!(shown.contains("${TOKEN}") && shown.contains("Authorization:***"), "{shown}");
}

#[test]
fn what_is_no_secret_is_shown_as_it_is_written() {
    let world = project_toml(
        "[servers.p]\ncommand = \"docker\"\nargs = [\"run\", \"--rm\", \"-e\", \"MODE=fast\", \"mcp/secrets:latest\", \
         \"https://example.com/x?y=1\", \"--keyboard\", \"us\"]\nenv = { NODE_ENV = \"production\" }\n",
    );
    let loaded = world.load_clean();
    let shown = show::server(loaded.server("p"));
    assert_eq!(
        shown["args"],
        json!([
            "run",
            "--rm",
            "-e",
            "MODE=fast",
            "mcp/secrets:latest",
            "https://example.com/x?y=1",
            "--keyboard",
            "us"
        ])
    );
    assert_eq!(shown["env"], json!({ "NODE_ENV": "production" }));
}

#[test]
fn an_error_about_a_secret_does_not_repeat_it() {
    let world = project_toml(&format!(
        "[servers.a]\nurl = \"${{TOKEN}}\"\n[servers.b]\nurl = \"https://u:{CANARY}@example.com\"\n\
         [servers.c]\nurl = \"https://example.com\"\nbearer_token_env = \"{CANARY}\"\n\
         headers = {{ A = \"{CANARY}\\n\" }}\n[servers.d]\ncommand = \"x\"\nenv_vars = [\"T={CANARY}\"]\n"
    ))
    .env("TOKEN", format!("{CANARY}:x"));
    let loaded = world.load();
    assert_eq!(loaded.errors().len(), 5);
    let shown = world.render(&loaded.problems);
    assert!(!shown.contains(CANARY), "{shown}");
}

#[test]
fn every_variable_that_counts_is_named_whether_it_is_set_or_not() {
    let world = World::new()
        .global(
            "[servers.web]\nurl = \"https://${HOST_NAME}.example.com/mcp\"\n\
             bearer_token_env = \"WEB_TOKEN\"\n\
             [servers.near]\ncommand = \"x\"\nargs = [\"$${NOT}\", \"${SOME}\"]\n\
             env_vars = [\"HANDED_ON\"]\n",
        )
        .file("toolgate.json", r#"{"servers":{"j":{"command":"x","args":["${LITERAL}"]}}}"#)
        .env("SOME", "thing");
    let named = world.load().variables;
    let named: Vec<_> = named.iter().map(String::as_str).collect();
    assert_eq!(named, ["HANDED_ON", "HOST_NAME", "SOME", "WEB_TOKEN"]);
}
