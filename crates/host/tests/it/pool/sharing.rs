//! Which hosts share a process, what they hear of it, and what they do not learn of each other.

use std::path::Path;
use std::sync::Arc;

use toolgate_host::{Attendant, CallOptions};
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::config::{Isolation, Server, Transport};
use toolgate_types::{Code, ConfigText, EnvName, QuestionKind, ServerState};

use super::{host, host_of, roomy};
use crate::gate::{Gate, id, list};
use crate::processes::{
    Slow, call, call_with, config, folder_of, gone, is_running, pid, process, variables_of, worker,
};

fn of_machine(script: &Script) -> Server {
    let mut server = process(script);
    server.isolation = Isolation::Machine;
    server
}

#[tokio::test]
async fn hosts_of_two_workspaces_share_a_server_of_the_machine() {
    let (pool, one, other) = (roomy(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let one = host(&pool, one.path(), [("all", of_machine(&worker()))]);
    let other = host(&pool, other.path(), [("all", of_machine(&worker()))]);
    let process = pid(&one.host, "all").await;
    assert_eq!(pid(&other.host, "all").await, process);
    assert_eq!(pool.servers(), 1);
    assert_eq!(folder_of(process), Path::new("/"), "in no workspace");
    assert_eq!(other.names().await, ["die", "grow", "pid", "slow"]);
    call(&one.host, "all", "grow").await.unwrap();
    for gate in [&one, &other] {
        gate.events.heard("all changed Tools").await;
        assert_eq!(gate.names().await, ["die", "grow", "grown", "pid", "slow"]);
    }
    // Who does not have it any more does not end it for who does.
    let slow = Slow::begin(&other.host, "all").await;
    one.host.close_all().await;
    assert!(one.host.remove_server(&id("all")).await);
    assert_eq!(slow.end().await.unwrap(), "done");
    assert_eq!(pid(&other.host, "all").await, process);
    assert_eq!(call(&one.host, "all", "pid").await.unwrap_err().code, Code::NotFound);
    other.host.close_all().await;
    gone(process).await;
}

#[tokio::test]
async fn a_server_of_the_machine_runs_in_the_home_and_never_where_the_first_works() {
    let (pool, folder) = (roomy(), tempfile::tempdir().unwrap());
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("inner")).unwrap();
    let variables = || [("HOME".to_owned(), home.path().to_str().unwrap().to_owned())];
    for (cwd, expected) in
        [(None, home.path().to_owned()), (Some("inner"), home.path().join("inner"))]
    {
        let mut server = of_machine(&worker());
        if let Transport::Stdio(stdio) = &mut server.transport {
            stdio.cwd = cwd.map(|cwd| ConfigText::Plain(cwd.to_owned()));
        }
        let gate = Gate::open()
            .building(|host| host.pool(pool.clone()).workspace(folder.path()))
            .building(|host| host.variables(variables().into_iter().collect()))
            .configured(|own| own.servers = config([("all", server)]).servers)
            .run();
        let process = pid(&gate.host, "all").await;
        assert_eq!(folder_of(process), expected.canonicalize().unwrap());
        gate.host.close_all().await;
    }
}

#[tokio::test]
async fn each_workspace_has_its_own_process_in_its_folder_and_with_its_variables() {
    let (pool, one, other) = (roomy(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, other) = (one.path().canonicalize().unwrap(), other.path().canonicalize().unwrap());
    let named = || {
        let mut server = process(&worker());
        if let Transport::Stdio(stdio) = &mut server.transport {
            stdio.env_vars.push(EnvName::parse("TOKEN").unwrap());
        }
        ("files", server)
    };
    let gates = [
        host_of(&pool, &one, named(), ("ada", "first")),
        host_of(&pool, &other, named(), ("ada", "second")),
        host_of(&pool, &one, named(), ("ada", "first")),
        host_of(&pool, &one, named(), ("bob", "first")),
        host_of(&pool, &one, named(), ("ada", "third")),
    ];
    let mut pids = Vec::new();
    for gate in &gates {
        pids.push(pid(&gate.host, "files").await);
    }
    assert_eq!(pids[2], pids[0], "the same for the same in the same folder");
    let mut distinct = pids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "another folder, person or variable is another process");
    assert_eq!(pool.servers(), 4);
    assert_eq!((folder_of(pids[0]), folder_of(pids[1])), (one, other));
    let token = |pid| variables_of(pid)["TOKEN"].clone();
    assert_eq!([0, 1, 4].map(|place| token(pids[place])), ["first", "second", "third"]);
    for gate in &gates {
        gate.host.close_all().await;
    }
    for pid in pids {
        assert!(!is_running(pid), "closing all hosts leaves nothing");
    }
    assert_eq!(pool.servers(), 0);
}

#[tokio::test]
async fn the_same_words_with_other_walls_are_another_process() {
    let pool = roomy();
    let mut open = process(&worker());
    if let Transport::Stdio(stdio) = &mut open.transport {
        stdio.confinement.readable.push("/srv".to_owned());
    }
    let one = host(&pool, Path::new("/"), [("files", process(&worker()))]);
    let other = host(&pool, Path::new("/"), [("files", open)]);
    assert_ne!(pid(&one.host, "files").await, pid(&other.host, "files").await);
    one.host.close_all().await;
    other.host.close_all().await;
}

/// Asks for a person's word and for folders, and says what it was told. It ends at once where it is
/// offered the folders.
fn curious() -> Script {
    let who = Act::ask("elicitation/create", r#"{"message":"who?"}"#);
    Script::legacy()
        .on_when("initialize", "\"roots\"", [Act::Exit(9)])
        .on("tools/list", [Act::answer(list(&["who", "where"]))])
        .on_call("who", [who, Act::say("${answer:/result/content/name}")])
        .on_call("where", [Act::ask("roots/list", "{}"), Act::say("${answer:/result/roots}")])
}

fn answering(name: &str) -> Arc<Answering> {
    let answer = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
    let roots = format!(r#"{{"roots":[{{"uri":"file:///{name}"}}]}}"#);
    let answering = Answering::new().with(QuestionKind::Elicit, &answer);
    Arc::new(answering.with(QuestionKind::Roots, &roots))
}

#[tokio::test]
async fn a_shared_server_asks_the_one_who_calls_and_learns_nobodys_folders() {
    let pool = roomy();
    let gate = |name: &str| {
        let asker = answering(name);
        let gate = Gate::open()
            .building(|host| host.pool(pool.clone()).asker(Arc::clone(&asker) as _))
            .configured(|own| {
                own.servers = config([("all", of_machine(&curious()))]).servers;
            });
        (gate.run(), asker)
    };
    let ((one, of_one), (other, of_other)) = (gate("ada"), gate("bob"));
    assert_eq!(call(&one.host, "all", "who").await.unwrap(), "ada");
    assert_eq!(call(&other.host, "all", "who").await.unwrap(), "bob");
    let attendant =
        Attendant { asker: answering("cleo"), capabilities: None, party: None, takes_logs: false };
    let options = CallOptions { attendant: Some(attendant), ..CallOptions::default() };
    assert_eq!(call_with(&other.host, "all", "who", options.clone()).await.unwrap(), "cleo");
    for gate in [&one, &other] {
        assert_eq!(call(&gate.host, "all", "where").await.unwrap(), "[]");
        assert_eq!(call_with(&gate.host, "all", "where", options.clone()).await.unwrap(), "[]");
    }
    for asker in [of_one, of_other] {
        assert_eq!(asker.asked().len(), 1, "once, and never for folders: {:?}", asker.asked());
    }
    assert_eq!(pool.servers(), 1);
    one.host.close_all().await;
    other.host.close_all().await;
}

/// A modern server asks by its answer, and is told by the next call.
#[tokio::test]
async fn a_modern_server_of_the_machine_gets_no_folders_either() {
    let asks =
        r#"{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}}}"#;
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["where"]))])
        .on_when("tools/call where", "inputResponses", [Act::say("told")])
        .on_call("where", [Act::answer(asks)]);
    for (isolation, is_told) in [(Isolation::Workspace, true), (Isolation::Machine, false)] {
        let mut server = process(&script);
        server.isolation = isolation;
        let gate = Gate::open()
            .building(|host| host.asker(answering("ada")))
            .configured(|own| own.servers = config([("one", server)]).servers)
            .run();
        let told = call(&gate.host, "one", "where").await;
        assert_eq!(told.is_ok(), is_told, "{told:?}");
        gate.host.close_all().await;
    }
}

#[tokio::test]
async fn a_crash_of_a_shared_server_counts_once_and_both_wait() {
    let pool = roomy();
    let gates = [(); 2].map(|()| host(&pool, Path::new("/"), [("all", of_machine(&worker()))]));
    let [one, other] = &gates;
    pid(&one.host, "all").await;
    pid(&other.host, "all").await;
    let error = call(&one.host, "all", "die").await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    for gate in &gates {
        gate.events.heard("all is error").await;
        let waiting = call(&gate.host, "all", "pid").await.unwrap_err();
        assert!(waiting.retry_after.is_some(), "{waiting}");
        let status = gate.status("all");
        assert_eq!((status.state, status.failures), (ServerState::Error, 1));
    }
    let wait = other.status("all").retry_in.unwrap();
    tokio::time::sleep(wait).await;
    let back = pid(&other.host, "all").await;
    assert_eq!(pid(&one.host, "all").await, back, "one came back for both");
    for gate in &gates {
        gate.host.close_all().await;
    }
    gone(back).await;
}
