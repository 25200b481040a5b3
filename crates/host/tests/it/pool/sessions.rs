//! Sessions that have a process for themselves.

use std::path::Path;
use std::sync::Arc;

use toolgate_host::{Attendant, Call, CallOptions, CallTarget};
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::config::Isolation;
use toolgate_types::{Caller, OperationOutcome, Principal, ServerState, SessionId};

use super::{host, roomy};
use crate::gate::{id, json, list, within};
use crate::processes::{call, gone, is_running, pid, pid_in, process, worker};

#[tokio::test]
async fn every_session_has_a_process_of_its_own_which_ends_with_it() {
    let pool = roomy();
    let mut own = process(&worker());
    own.isolation = Isolation::Session;
    let gate = host(&pool, Path::new("/"), [("own", own), ("shared", process(&worker()))]);
    let one = pid_in(&gate.host, "own", "one").await;
    assert_eq!(gate.names().await.len(), 8, "its list is listed, and nothing is started for that");
    assert_eq!((pool.servers(), gate.state("own")), (2, ServerState::Ready));
    let two = pid_in(&gate.host, "own", "two").await;
    assert_ne!(one, two);
    assert_eq!(pid_in(&gate.host, "own", "one").await, one, "the same the next time");
    let shared = pid(&gate.host, "own").await;
    assert!(shared != one && shared != two, "without a session the shared one serves");
    let status = gate.status("own");
    assert_eq!((status.processes, status.pid, status.calls), (3, Some(shared), 4));
    let sessions = [pid_in(&gate.host, "shared", "one").await, pid(&gate.host, "shared").await];
    assert_eq!(sessions[0], sessions[1], "others are not for one session");
    gate.host.end_session(&SessionId("one".to_owned())).await;
    assert!(!is_running(one), "it has ended");
    assert!(is_running(two) && is_running(shared) && is_running(sessions[0]));
    assert_ne!(pid_in(&gate.host, "own", "one").await, one, "a new one under an old name is new");
    gate.host.close_all().await;
    assert_eq!(pool.servers(), 0);
    for pid in [two, shared, sessions[0]] {
        assert!(!is_running(pid));
    }
}

#[tokio::test]
async fn what_one_session_loses_or_gains_is_its_own() {
    let pool = roomy();
    let mut own = process(&worker());
    own.isolation = Isolation::Session;
    let gate = host(&pool, Path::new("/"), [("own", own)]);
    let two = pid_in(&gate.host, "own", "two").await;
    call(&gate.host, "own", "die").await.unwrap_err();
    assert_eq!(pid_in(&gate.host, "own", "two").await, two);
    assert_eq!(gate.names().await, ["die", "grow", "pid", "slow"]);
    let one = pid_in(&gate.host, "own", "one").await;
    drop(gate);
    gone(one).await;
    gone(two).await;
    assert_eq!(pool.servers(), 0, "what is dropped is ended too");
}

/// A process that is one session's alone is told what that caller's program knows and tries out; one that
/// others use too is told the same whoever starts it.
///
/// Shows: E-1.
#[tokio::test]
async fn only_a_process_of_one_session_is_told_the_extensions_of_its_caller() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["seen"]))])
        .on_call("seen", [Act::answer(r#"{"content":[],"seen":${seen}}"#)]);
    let mut own = process(&script);
    own.isolation = Isolation::Session;
    let gate = host(&roomy(), Path::new("/"), [("own", own), ("shared", process(&script))]);
    let capabilities = r#"{"experimental":{"tries":{}},"extensions":{"com.example/maps":{}}}"#;
    let initialized = async |server: &str, session: &str| {
        let session = Some(SessionId(session.to_owned()));
        let caller = Caller { session, ..Caller::new(Principal::local_user(), Path::new("/")) };
        let attendant = Attendant {
            asker: Arc::new(Answering::new()),
            capabilities: Some(Arc::from(json(capabilities))),
            party: None,
            takes_logs: false,
        };
        let (caller, attendant) = (Some(Arc::new(caller)), Some(attendant));
        let options = CallOptions { caller, attendant, ..CallOptions::default() };
        let call = Call::new(CallTarget::exact(id(server), "seen")).options(options);
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => done.result.get().to_owned(),
            other => panic!("{other:?}"),
        }
    };
    for session in ["one", "two"] {
        let told = initialized("own", session).await;
        assert!(told.contains("com.example/maps") && told.contains("tries"), "{told}");
    }
    let told = initialized("shared", "one").await;
    assert!(told.contains("initialize"), "{told}");
    assert!(!told.contains("com.example/maps") && !told.contains("tries"), "{told}");
}
