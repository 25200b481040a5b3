//! The example in `examples/agent.rs`, run as a person would.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolgate_store::{AuditLog as _, AuditQuery, SqliteStore};
use toolgate_testkit::{Act, Script};

/// A folder with a server of the person's own, and one that a project brings and nobody accepted.
struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (peer, argument) = (example("toolgate-assembly-peer"), script().to_argument());
        let server = serde_json::json!({ "command": peer, "args": [argument] });
        let global = serde_json::json!({
            "servers": { "sums": server },
            "policy": { "deny_tools": ["drop"] },
            // Here a person types before the question is there.
            "approval": { "fastest_answer_ms": 0 },
        });
        let project = serde_json::json!({ "servers": { "theirs": server } });
        std::fs::write(folder.path().join("global.json"), global.to_string()).unwrap();
        std::fs::write(folder.path().join("toolgate.json"), project.to_string()).unwrap();
        Self { folder }
    }

    /// What the agent prints, where the person types this.
    fn agent(&self, types: &str, steps: &[&str]) -> String {
        let mut agent = Command::new(example("agent"));
        agent
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TOOLGATE_GLOBAL_CONFIG", self.folder.path().join("global.json"))
            .arg(self.state())
            .args(steps)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = agent.spawn().unwrap();
        running.stdin.take().unwrap().write_all(types.as_bytes()).unwrap();
        let output = running.wait_with_output().unwrap();
        let complained = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{complained}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }
}

fn script() -> Script {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["add", "fail", "drop"].map(tool).join(",");
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tools}]}}"#))])
        .on_call("add", [Act::say("${message:/params/arguments/a} and more")])
        .on_call(
            "fail",
            [Act::answer(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#)],
        )
}

fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "run `cargo build --examples -p toolgate-assembly` first");
    path
}

/// Shows: S4-46, S1-17, S1-7.
#[tokio::test]
async fn an_agent_of_one_page_has_policy_store_trust_and_approvals_at_its_terminal() {
    let house = House::new();
    let steps = [r#"add={"a":2}"#, "fail", r#"add={"a":3}"#, "drop", "absent", "add=[1]"];
    let said = house.agent("once\nonce\ndeny\n", &steps);
    let lines: Vec<&str> = said.lines().filter(|line| is_of(&steps, line)).collect();
    let expected = [
        "add: 2 and more",
        "fail: failed: no",
        "add: permission_denied: the user declined this (denied)",
        "drop: there is no tool `drop`",
        "absent: there is no tool `absent`",
        "add: invalid_argument: invalid arguments: the arguments must be an object, not an array",
    ];
    assert_eq!(lines, expected, "{said}");
    // What a person is asked is the whole of it, and each of the three was asked about.
    assert_eq!(said.matches("once, deny?").count(), 3, "{said}");
    assert!(said.contains(r#""a": 2"#) && said.contains(r#""a": 3"#), "{said}");
    // Every call is in the records, under the rules that the command `toolgate` goes by.
    let store = SqliteStore::open_read_only(&house.state()).unwrap();
    let rows = store.audit(AuditQuery::default()).await.unwrap();
    let ends = rows.iter().filter(|row| row.entry.body.contains("\"approval\"")).count();
    assert!(ends >= 3, "{rows:?}");
}

fn is_of(steps: &[&str], line: &str) -> bool {
    let names = steps.iter().map(|step| step.split('=').next().unwrap_or(step));
    names.into_iter().any(|name| line.starts_with(&format!("{name}: ")))
}

#[test]
fn what_nobody_accepted_is_neither_listed_nor_started() {
    let house = House::new();
    let said = house.agent("", &["add"]);
    let last = said.lines().last().unwrap();
    let nobody =
        "add: permission_denied: this needs a person's approval, and there is nobody to ask";
    assert_eq!(last, format!("{nobody} (no_channel)"), "{said}");
}

#[test]
fn the_example_stays_on_one_page() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/agent.rs"));
    let text = text.unwrap();
    let (_, main) = text.split_once("async fn run()").unwrap();
    assert!(main.lines().count() <= 33, "{}", main.lines().count());
    assert!(text.lines().count() < 90);
}
