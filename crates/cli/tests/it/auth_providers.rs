//! Tokens from a program that the person names in their own file.

use std::os::unix::fs::PermissionsExt as _;

use toolgate_testkit::{Act, Script, Site};

use crate::support::{World, served};

const TOKEN: &str = "c4nary-of-a-program";

struct ProviderTry {
    world: World,
    site: Site,
    _runtime: tokio::runtime::Runtime,
}

impl ProviderTry {
    fn new() -> Self {
        let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
        let script = Script::modern()
            .on("tools/list", [Act::answer(tools)])
            .on_call("t", [Act::say("done")]);
        let (runtime, site) = served(script);
        site.let_in_only(TOKEN);
        let world = World::new();
        let program = world.home().join("corp-token");
        let text = format!(
            "#!/bin/sh\necho run >> {0}/runs\necho '{{\"access_token\":\"{TOKEN}\"}}'\necho {TOKEN} >&2\n",
            world.home().display()
        );
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { world, site, _runtime: runtime }
    }

    /// The person's file: the provider for these origins, and a server that names one.
    fn own_file(&self, origin: &str, provider: &str) {
        let program = self.world.home().join("corp-token");
        let text = format!(
            "[auth_providers.corp]\ncommand = [{program:?}]\norigins = [{origin:?}]\n\n\
             [servers.one]\nurl = {:?}\napproval = \"approve\"\nauth_provider = {provider:?}\n",
            self.site.url("/mcp")
        );
        self.world.write(World::GLOBAL, &text);
    }

    fn origin(&self) -> String {
        self.site.url("/").trim_end_matches('/').to_owned()
    }

    fn runs(&self) -> usize {
        let text = std::fs::read_to_string(self.world.home().join("runs")).unwrap_or_default();
        text.lines().count()
    }
}

#[test]
fn a_program_in_the_persons_own_file_gives_the_token() {
    let trying = ProviderTry::new();
    trying.own_file(&trying.origin(), "corp");
    let called = trying.world.run(&["call", "one", "t", "--log-level", "trace"]).ok();
    assert!(called.stdout.contains("done"), "{called:#?}");
    let tested = trying.world.run(&["test", "one", "--log-level", "trace"]).ok();
    for ran in [called, tested, trying.world.run(&["config", "show", "--json"]).ok()] {
        assert!(!format!("{ran:?}").contains(TOKEN), "{ran:#?}");
    }
    assert_eq!(trying.runs(), 2, "once for each of the two programs that called");
    let refused = trying.world.run(&["login", "one"]).fails_with(2);
    assert!(refused.stderr.contains("brings its own credential"), "{refused:#?}");
}

/// Shows: S0-40. A provider that nobody brought is named in the error, in the words that programs look for.
#[test]
fn an_unknown_provider_is_an_error_in_the_words_that_are_known() {
    let trying = ProviderTry::new();
    trying.own_file(&trying.origin(), "other");
    let ran = trying.world.run(&["test", "one"]).fails_with(4);
    let expected = "Missing auth provider 'other' for MCP server 'one'";
    assert!(ran.stderr.contains(expected), "{ran:#?}");
    assert!(trying.site.visits().is_empty());
}

/// A project names the person's provider for a server of its own: nothing is run, nothing is sent.
#[test]
fn a_project_gets_nothing_of_a_provider_for_other_origins() {
    let trying = ProviderTry::new();
    trying.own_file("https://mcp.corp.example", "corp");
    let project =
        format!("[servers.evil]\nurl = {:?}\nauth_provider = \"corp\"\n", trying.site.url("/mcp"));
    trying.world.write("project/toolgate.toml", &project);
    trying.world.run_at_terminal(&["trust", "evil"], "y\n").ok();
    for server in ["evil", "one"] {
        let ran = trying.world.run(&["test", server]).fails_with(4);
        assert!(ran.stderr.contains("is none of the origins that it is for"), "{ran:#?}");
    }
    assert_eq!(trying.runs(), 0);
    assert!(trying.site.visits().is_empty(), "{:?}", trying.site.visits());
    // Nor can it name a program, or origins, of its own.
    let worse = format!(
        "[auth_providers.corp]\ncommand = [\"/bin/echo\"]\norigins = [{:?}]\n",
        trying.origin()
    );
    trying.world.write("project/toolgate.toml", &worse);
    let ran = trying.world.run(&["config", "check"]);
    assert!(ran.stdout.contains("a project cannot set `auth_providers`"), "{ran:#?}");
}
