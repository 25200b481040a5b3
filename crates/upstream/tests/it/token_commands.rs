//! Credentials that a program of the person's prints.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, Site};
use toolgate_types::ConfigText;
use toolgate_types::config::{RemoteKind, TokenCommand, Transport, WebOrigin};
use toolgate_upstream::{ConnectError, HelperPath, ProcessSpawner, TokenCommandProviders};

use crate::{Bench, call, peer_path, within};

/// A script that is the provider `corp`, and a file that tells each of its runs.
struct Corp {
    folder: tempfile::TempDir,
    origin: String,
    script: String,
}

impl Corp {
    fn new(site: &Site, script: &str) -> Self {
        let origin = url::Url::parse(&site.url("/")).unwrap().origin().ascii_serialization();
        Self { folder: tempfile::tempdir().unwrap(), origin, script: script.to_owned() }
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    fn runs(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn bench(&self, site: &Site) -> Bench {
        let mut bench = Bench::remote(&site.url("/mcp?key=qu3ry"), RemoteKind::Http);
        let Transport::Remote(remote) = &mut bench.server.transport else { panic!("not remote") };
        remote.auth_provider = Some(ConfigText::Plain("corp".to_owned()));
        let script = format!(
            "echo \"$TOOLGATE_SERVER $TOOLGATE_SERVER_URL $PWD\" >> {}\n{}",
            self.log().display(),
            self.script
        );
        let command = TokenCommand {
            program: ConfigText::Plain("/bin/sh".to_owned()),
            args: ["-c", &script].map(|word| ConfigText::Plain(word.to_owned())).to_vec(),
            origins: vec![WebOrigin::parse(&self.origin).unwrap()],
        };
        let spawner = ProcessSpawner::new(HelperPath::at(peer_path()));
        let configured = IndexMap::from([("corp".to_owned(), command)]);
        let variables = Arc::new(BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]));
        let providers = TokenCommandProviders::default();
        bench.providers = providers.replaced(&configured, &spawner, &variables).providers();
        bench
    }
}

async fn site() -> Site {
    Script::modern().on_call("hello", [Act::say("hi")]).over_http(WebManners::default()).await
}

/// The token is asked for once and used until it is over, for a server that the program is told of.
#[tokio::test]
async fn one_token_serves_many_requests() {
    let site = site().await;
    site.let_in_only("t0ken");
    let printed = r#"echo '{"access_token":"t0ken","token_type":"Bearer","expires_in":3600}'"#;
    let corp = Corp::new(&site, printed);
    let bench = corp.bench(&site);
    let connection = within(bench.open()).await.unwrap();
    for _ in 0..3 {
        within(call(&connection, "hello")).await.unwrap();
    }
    // The query may hold a key, and the folder is nobody's project.
    let told = format!("peer {} /", site.url("/mcp"));
    assert_eq!(corp.runs(), [told]);
}

#[tokio::test]
async fn a_token_that_is_over_or_was_refused_is_asked_for_again() {
    let site = site().await;
    site.let_in_only("t0ken");
    let short = Corp::new(&site, r#"echo '{"access_token":"t0ken","expires_in":30}'"#);
    let connection = within(short.bench(&site).open()).await.unwrap();
    let before = short.runs().len();
    within(call(&connection, "hello")).await.unwrap();
    assert!(short.runs().len() > before, "it is over in a moment, and not kept");

    let counting =
        "n=$(wc -l < \"$(dirname LOG)/runs\")\necho \"{\\\"access_token\\\":\\\"t$n\\\"}\"";
    let mut corp = Corp::new(&site, "");
    corp.script = counting.replace("LOG", &corp.log().display().to_string());
    site.let_in_only("t2");
    let connection = within(corp.bench(&site).open()).await.unwrap();
    assert_eq!(corp.runs().len(), 2, "the first token was refused");
    within(call(&connection, "hello")).await.unwrap();
    assert_eq!(corp.runs().len(), 2);
    // Where the next is refused as well, it ends there.
    site.let_in_only("never");
    within(call(&connection, "hello")).await.unwrap_err();
    assert_eq!(corp.runs().len(), 3, "once again, and not for ever");
}

/// A project may name the person's provider; a server of its own gets nothing, and nothing is run.
#[tokio::test]
async fn a_server_elsewhere_gets_nothing() {
    let site = site().await;
    let mut corp = Corp::new(&site, r#"echo '{"access_token":"t0ken"}'"#);
    corp.origin = "https://mcp.corp.example".to_owned();
    let error = within(corp.bench(&site).open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Setup { .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("auth provider 'corp' gives nothing to MCP server 'peer'"), "{said}");
    assert!(said.contains("is none of the origins that it is for"), "{said}");
    assert_eq!(corp.runs(), Vec::<String>::new());
    assert!(site.visits().is_empty(), "nothing was dialled");
}

/// Whatever goes wrong with the program, nothing that it prints is repeated.
#[tokio::test]
async fn what_a_program_prints_is_never_repeated() {
    let site = site().await;
    for (script, why) in [
        ("echo c4nary", "printed no token"),
        (r#"echo '{"access_token":"c4nary one"}'"#, "cannot stand in a header"),
        ("echo c4nary; echo c4nary >&2; exit 3", "its program"),
        ("yes c4nary | head -c 100000", "printed too much"),
    ] {
        let error = within(Corp::new(&site, script).bench(&site).open()).await.unwrap_err();
        assert!(matches!(error, ConnectError::NoCredential(_)), "{error:?}");
        let said = format!("{error} {error:?}");
        assert!(said.contains(why) && !said.contains("c4nary"), "{said}");
    }
    let mut gone = Corp::new(&site, "");
    gone.script = "exec /nowhere/at-all".to_owned();
    let error = within(gone.bench(&site).open()).await.unwrap_err();
    assert!(matches!(error, ConnectError::NoCredential(_)), "{error:?}");
    assert!(site.visits().is_empty());
}
