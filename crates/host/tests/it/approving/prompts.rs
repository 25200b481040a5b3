//! What a person reads of a call before they decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_host::{ApprovalRequest, Audience, Call, CallTarget};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Bundle, BundleMode, NameFilter, Server, Transport};
use toolgate_types::{BundleId, ConfigText, EnvName, Pattern, Trust};

use super::{DENY, ONCE, Shop, asking, caller, options};
use crate::gate::{id, json, peer_path, server, stdio};
use crate::policy::written;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"pin":{"type":"string","format":"password"},"depth":{"type":"number"},"note":{"type":"string"}}}"#;

/// A server with one tool that says this of itself.
fn files(description: &str) -> Script {
    let description = serde_json::to_string(description).unwrap();
    let hints = r#"{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}"#;
    let tool = format!(
        r#"{{"name":"write","description":{description},"inputSchema":{SCHEMA},"annotations":{hints}}}"#
    );
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))])
        .on_call("write", [Act::say("written")])
}

fn write(arguments: &str) -> Call {
    let call = Call::new(CallTarget::exact(id("files"), "write")).arguments(json(arguments));
    call.options(options(caller(Some("s"))))
}

/// A process in its own folder, with some variables of which some are secrets.
fn process(script: &Script) -> Server {
    let mut server = server(stdio(peer_path().to_str().unwrap(), &[&script.to_argument()]));
    let Transport::Stdio(stdio) = &mut server.transport else { panic!() };
    stdio.cwd = Some(ConfigText::Plain("sub".to_owned()));
    let name = |name: &str| EnvName::parse(name).unwrap();
    stdio.env.insert(name("STAGE"), ConfigText::Plain("test".to_owned()));
    // As a file's reader has it: a literal value under a name that says secret.
    stdio.env.insert(name("API_TOKEN"), ConfigText::hidden("tok-canary-0002".to_owned()));
    stdio
        .env
        .insert(name("PUSH_TOKEN"), ConfigText::hidden("tok-canary-0003-long-enough".to_owned()));
    let expanded = ConfigText::expanded("${DEPLOY}".to_owned(), "dep-canary-0003".to_owned());
    stdio.env.insert(name("DEPLOY"), expanded);
    stdio.env_vars.push(name("CANARY_TOKEN"));
    server
}

/// What a person reads of a call of `write`.
async fn prompt(shop: &Shop, arguments: &str) -> String {
    asked_about(shop, arguments).await.shown.text().to_owned()
}

async fn asked_about(shop: &Shop, arguments: &str) -> Arc<ApprovalRequest> {
    assert_eq!(shop.call(write(arguments)).await, "denied");
    let request = shop.asked().await.request;
    let text = request.shown.text();
    let shown = shop.person.forms.borrow().last().unwrap().text.clone();
    assert_eq!(shown, text, "the same in the agent as at the approval queue");
    request
}

/// Where each of these begins, in this order.
fn places(text: &str, words: &[&str]) -> Vec<usize> {
    let place = |word: &&str| text.find(word).unwrap_or_else(|| panic!("{word}:\n{text}"));
    words.iter().map(place).collect()
}

/// Shows: S1-82, S3-21, S3-22, S3-23, S3-54.
#[tokio::test]
async fn it_has_the_tool_its_effects_and_its_place_before_the_arguments_and_the_servers_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let script = files("Writes a file.\nEffects: none\u{202e}");
    let gate = asking().entry("files", process(&script).transport, |_| {}).building(|host| {
        let variables = [("CANARY_TOKEN".to_owned(), "s3cr3t-canary-0001".to_owned())];
        host.workspace(folder.path()).variables(BTreeMap::from(variables))
    });
    let shop = Shop::around(DENY, gate);
    let text = prompt(&shop, r#"{"path":"a\u0062","depth":1.50}"#).await;
    assert!(text.starts_with("codex wants to call files/write.\n"), "{text}");
    let cwd = format!("Folder: {}", folder.path().join("sub").display());
    let workspace = format!("Workspace: {}", folder.path().display());
    let order = [
        "Effects: may destroy or overwrite something; reaches the outside world; as the server says",
        "Sandbox: none",
        "Done by: ",
        &cwd,
        &workspace,
        "Environment: STAGE=test API_TOKEN=*** PUSH_TOKEN=⟨your secret PUSH_TOKEN, 27 characters⟩",
        "DEPLOY=${DEPLOY}",
        "CANARY_TOKEN=(passed on)",
        "Asked because: nothing is configured",
        "Arguments: ",
        "\n  |   \"path\": \"ab\" ⟨spelled a\\u0062⟩",
        "\n  |   \"depth\": 1.50",
        "The server says of it (its own words, not checked): ",
        "\n  | Writes a file.",
        "\n  | Effects: none\\u{202e}",
    ];
    let found = places(&text, &order);
    assert!(found.is_sorted(), "{found:?}\n{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Effects:")).count(), 1, "{text}");
    assert!(!text.contains("canary-000"), "{text}");
    shop.host.close_all().await;
}

/// Shows: S3-24, S1-85, S3-35.
#[tokio::test]
async fn only_the_persons_own_secrets_and_what_a_trusted_schema_marks_are_covered() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let script = files("Writes.");
    let gate = asking().entry("files", process(&script).transport, |_| {}).building(|host| {
        let variables = [("CANARY_TOKEN".to_owned(), "s3cr3t-canary-0001".to_owned())];
        host.workspace(folder.path()).variables(BTreeMap::from(variables))
    });
    let shop = Shop::around(DENY, gate);
    let asked = asked_about(
        &shop,
        r#"{"path":"p","pin":"4711-0815","note":"use tok-canary-0003-long-enough; touch M","password":"hunter2","log":"s3cr3t-canary-0001"}"#,
    )
    .await;
    let order = [
        r#""path": "p""#,
        r#""pin": ⟨secret parameter pin, 9 characters⟩"#,
        r#""note": "use ⟨your secret PUSH_TOKEN, 27 characters⟩; touch M""#,
        // By its name alone nothing is covered, nor what the environment of a window brought: a
        // model, or a clone, could hide a command so.
        r#""password": "hunter2""#,
        r#""log": "s3cr3t-canary-0001""#,
        "Covered: 3 values are not shown",
    ];
    let text = asked.shown.text();
    assert!(places(text, &order).is_sorted(), "{text}");
    let full = asked.shown_in_full.clone().unwrap();
    assert!(full.text().contains(r#""pin": "4711-0815""#), "{}", full.text());
    assert!(!full.text().contains("tok-canary-0003"), "{}", full.text());
    shop.host.close_all().await;
}

/// What others on this machine can read is masked as logs are.
#[tokio::test(start_paused = true)]
async fn what_is_told_in_public_places_is_masked() {
    let shop = Shop::around(DENY, asking().server("files", files("Writes.")));
    let asked = asked_about(&shop, r#"{"path":"p","password":"hunter2"}"#).await;
    assert!(asked.shown.text().contains("hunter2"));
    assert!(!asked.notice.contains("hunter2") && asked.notice.contains("***"), "{}", asked.notice);
}

/// A secret that a server has in its words, just where they are cut.
#[tokio::test(start_paused = true)]
async fn secrets_leaking_no_half_of_one_is_left_where_words_are_cut() {
    let secret = "s3cr3t-canary-0001";
    for before in 2048 - secret.len()..=2048 {
        let description = format!("{}{secret} and more", "w".repeat(before - 1) + " ");
        let gate = asking().server("files", files(&description)).building(|host| {
            let variables = [("CANARY_TOKEN".to_owned(), secret.to_owned())];
            host.variables(BTreeMap::from(variables))
        });
        let text = prompt(&Shop::around(DENY, gate), "{}").await;
        assert!(!text.contains("s3cr"), "{before}:\n{text}");
    }
}

/// Shows: S1-83.
#[tokio::test(start_paused = true)]
async fn what_an_untrusted_server_says_of_itself_is_told_as_that() {
    let some = BundleId::parse("some").unwrap();
    let untrusted = asking()
        .server_with("files", files("Harmless."), |server| {
            server.declared_trust = Some(Trust::Untrusted);
        })
        .configured(|config| {
            let allow = Some(vec![Pattern::parse("write").unwrap()]);
            let tools = NameFilter { allow, deny: Vec::new() };
            let (server, mode) = (id("files"), BundleMode::Meta);
            let bundle = Bundle { server, mode, description: None, tools };
            config.bundles.insert(some.clone(), written("some", bundle));
        });
    let shop = Shop::around(DENY, untrusted);
    let address = shop.host.resolve_tools(&[some]).await.unwrap().address;
    let audience = Audience { address, ..Audience::MODEL };
    let target = CallTarget::Exact { audience, server: id("files"), tool: "write".to_owned() };
    assert_eq!(shop.call(Call { target, ..write("{}") }).await, "denied");
    let text = shop.asked().await.request.shown.text().to_owned();
    assert!(text.contains("as the server says, which is not trusted"), "{text}");
}

/// What was not given is said to be nothing, and only that.
#[tokio::test(start_paused = true)]
async fn a_call_without_arguments_says_so() {
    let shop = Shop::around(DENY, asking().server("files", files("Writes.")));
    let call = Call { arguments: None, ..write("{}") };
    assert_eq!(shop.call(call).await, "denied");
    let text = shop.asked().await.request.shown.text().to_owned();
    assert!(text.contains("\nArguments: none\n"), "{text}");
    let text = prompt(&shop, r#"{"a":1}"#).await;
    assert!(!text.contains("Arguments: none"), "{text}");
}

#[tokio::test]
async fn a_null_that_is_left_out_is_neither_shown_nor_sent() {
    let tool = format!(r#"{{"name":"write","inputSchema":{SCHEMA}}}"#);
    let script = Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))])
        .on_call("write", [Act::say("${arguments}")]);
    let shop = Shop::around(DENY, asking().server("files", script));
    let with_null = r#"{"path":"a","note":null,"depth":null}"#;
    let [spelled_out, plain] =
        [asked_about(&shop, with_null).await, asked_about(&shop, r#"{"path":"a"}"#).await];
    assert_eq!(spelled_out.shown.text(), plain.shown.text());
    assert!(!plain.shown.text().contains("note"), "{}", plain.shown.text());
    shop.person.says(ONCE);
    shop.call(write(with_null)).await;
    let sent = r#""arguments":{"path":"a"}"#;
    assert_eq!(shop.gate.peers.received("files", "tools/call"), 1);
    assert_eq!(shop.gate.peers.received("files", sent), 1, "what was shown");
}

/// Whoever calls through the meta tools is asked about the tool, and the tool is what is told and counted.
#[tokio::test(start_paused = true)]
async fn through_the_meta_tools_it_is_about_the_tool_that_is_called() {
    let shop = Shop::around(DENY, asking().server("files", files("Writes.")));
    let plain = prompt(&shop, r#"{"path":"a"}"#).await;
    let exposure = toolgate_types::config::Exposure::Meta;
    let through = |arguments: &str| {
        let audience = Audience { exposure, ..Audience::MODEL };
        let target = CallTarget::Named { audience, name: "mcp.callTool".into() };
        let arguments = format!(r#"{{"serverId":"files","toolName":"write","args":{arguments}}}"#);
        Call { target, ..write(&arguments) }
    };
    shop.call(through(r#"{"path":"a"}"#)).await;
    let text = shop.asked().await.request.shown.text().to_owned();
    assert_eq!(text, plain);
    shop.person.says(ONCE);
    shop.call(through(r#"{"path":"b"}"#)).await;
    assert_eq!(shop.gate.peers.received("files", r#""arguments":{"path":"b"}"#), 1);
    // What could be read in two ways, or is no object, is nothing that anybody is asked about.
    let asked = shop.person.times();
    for odd in [r#"{"path":"a","path":"b"}"#, r#"[{"path":"a"}]"#, r#""text""#] {
        shop.call(through(odd)).await;
    }
    assert_eq!(shop.person.times(), asked);
    assert_eq!(shop.gate.peers.received("files", r#""tools/call""#), 1);
    let told = shop.gate.events.all().join("\n");
    assert!(told.contains("ended call write: Done") && !told.contains("callTool"), "{told}");
    assert!(!told.contains("call_tool"), "{told}");
}
