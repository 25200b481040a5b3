//! `/metrics`: what it prints is what its table lists, and what happened is counted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolgate_host::{ApprovalChoice, ApprovalVerdict, Approver, QueueEvent};
use toolgate_testkit::{Act, Script};
use toolgate_types::MetricSeries;

use crate::gate::{Gate, Running, id, list, within};

/// Where nobody listens.
const NOWHERE: &str = "http://127.0.0.1:9/mcp";

/// A gate with a server whose calls a person is asked about, and one that cannot be reached.
async fn gate() -> Running {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["act", "fail"]))])
        .on_call("act", [Act::say("done")])
        .on_call("fail", [Act::refuse(-32602, "not like this")]);
    Gate::with("one", script).remote("dead", NOWHERE).guarded().run().await
}

async fn numbers(gate: &Running) -> String {
    gate.client_at("/metrics").send("GET", "").await.text().await
}

/// Calls a tool over HTTP, with a person at the approval queue who says this.
async fn call(gate: &Running, tool: &str, choice: ApprovalChoice) -> Value {
    gate.approvals.open_queue();
    let mut news = gate.approvals.listen();
    let client = gate.client().initialize().await;
    let name = format!("one__{tool}");
    let calling = tokio::spawn(async move { client.call(&name, json!({})).await });
    let QueueEvent::Asked(waiting) = within(news.recv()).await.unwrap() else {
        unreachable!("a call is asked about before anything is settled")
    };
    let waits = numbers(gate).await;
    assert!(waits.contains("\ntoolgate_approvals_waiting 1\n"), "{waits}");
    let seen = Some(waiting.request.shown.digest());
    let verdict = ApprovalVerdict { choice, approver: Approver::over("queue"), reason: None, seen };
    gate.approvals.answer(&waiting.reference, verdict).unwrap();
    within(calling).await.unwrap()
}

/// What is printed of a family: its kind, its sentence and the names of its labels.
#[derive(Debug, Default, PartialEq, Eq)]
struct Family {
    kind: String,
    help: String,
    labels: BTreeSet<String>,
}

fn printed(text: &str) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|l| l.split_once(' ')) {
            families.entry(name.to_owned()).or_default().help = help.to_owned();
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|l| l.split_once(' '))
        {
            families.entry(name.to_owned()).or_default().kind = kind.to_owned();
            name.clone_into(&mut current);
        } else {
            assert!(line.starts_with(&current), "a sample of no family: {line}");
            let labels = line.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
            let names = labels.into_iter().flat_map(|(labels, _)| labels.split(','));
            let names = names.filter_map(|label| label.split_once('=')).map(|(name, _)| name);
            let names = names.filter(|name| *name != "le").map(str::to_owned);
            families.get_mut(&current).unwrap().labels.extend(names);
        }
    }
    families
}

#[tokio::test]
async fn what_is_printed_is_what_the_table_lists_and_nothing_else() {
    let gate = gate().await;
    call(&gate, "act", ApprovalChoice::Once).await;
    call(&gate, "fail", ApprovalChoice::Once).await;
    gate.client_at("/nowhere").send("GET", "").await;
    let host = gate.hosts.lock().unwrap()[0].clone();
    host.reconnect(&id("dead")).await;
    host.reconnect(&id("dead")).await;
    let listed = MetricSeries::ALL.into_iter().map(|series| {
        let name = format!("{}_{}", MetricSeries::PREFIX, series.name);
        let family = Family {
            kind: series.kind.as_str().to_owned(),
            help: format!("{}.", series.help),
            labels: series.labels.iter().map(|label| (*label).to_owned()).collect(),
        };
        (name, family)
    });
    assert_eq!(printed(&numbers(&gate).await), listed.collect());
}

#[tokio::test]
async fn calls_errors_answers_and_restarts_are_counted_by_what_they_were() {
    let gate = gate().await;
    call(&gate, "act", ApprovalChoice::Once).await;
    call(&gate, "fail", ApprovalChoice::Once).await;
    call(&gate, "act", ApprovalChoice::Deny).await;
    let host = gate.hosts.lock().unwrap()[0].clone();
    for _ in 0..3 {
        host.reconnect(&id("dead")).await;
    }
    let text = numbers(&gate).await;
    for line in [
        r#"toolgate_calls_total{server="one",kind="call",outcome="done"} 1"#,
        r#"toolgate_calls_total{server="one",kind="call",outcome="failed"} 2"#,
        r#"toolgate_call_errors_total{server="one",code="invalid_argument"} 1"#,
        r#"toolgate_call_errors_total{server="one",code="permission_denied"} 1"#,
        r#"toolgate_call_seconds_count{server="one"} 3"#,
        r#"toolgate_approvals_answered_total{channel="queue",choice="once"} 2"#,
        r#"toolgate_approvals_answered_total{channel="queue",choice="deny"} 1"#,
        "toolgate_approvals_waiting 0",
        // Of three tries the first is a start.
        r#"toolgate_server_restarts_total{server="dead"} 2"#,
        "toolgate_servers_running 0",
        "toolgate_audit_records_waiting 0",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
    assert!(!text.contains("server_restarts_total{server=\"one\"}"), "{text}");
}
