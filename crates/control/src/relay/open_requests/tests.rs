//! Conversations that are cut off at every point.

use super::*;

fn send(standing: &mut OpenRequests, line: &str) -> bool {
    standing.sends(&MessageGlance::at(line.as_bytes()), line.as_bytes())
}

fn receive(standing: &mut OpenRequests, line: &str) {
    standing.receives(&MessageGlance::at(line.as_bytes()), line.as_bytes());
}

fn ids(set: &HashSet<MessageIdBuf>) -> Vec<String> {
    let mut ids: Vec<_> = set.iter().map(ToString::to_string).collect();
    ids.sort();
    ids
}

const INITIALIZE: &str = r#"{"id":0,"method":"initialize","params":{}}"#;
const OPENED: &str = r#"{"id":0,"result":{"capabilities":{"tools":{"listChanged":true}}}}"#;
const INITIALIZED: &str = r#"{"method":"notifications/initialized"}"#;

#[test]
fn a_request_is_open_until_it_is_answered_or_cancelled() {
    let mut standing = OpenRequests::default();
    for id in 1..=4 {
        assert!(send(&mut standing, &format!(r#"{{"id":{id},"method":"tools/call"}}"#)));
    }
    send(&mut standing, r#"[{"id":"a","method":"ping"},{"id":"b","method":"ping"}]"#);
    receive(&mut standing, r#"{"id":1,"result":{}}"#);
    receive(&mut standing, r#"{"id":2.0,"error":{"code":-1,"message":""}}"#);
    receive(&mut standing, r#"{"method":"notifications/progress","params":{"id":4}}"#);
    receive(&mut standing, r#"[{"id":"b","result":{}}]"#);
    send(&mut standing, r#"{"method":"notifications/cancelled","params":{"requestId":3}}"#);
    let lost = standing.loses();
    assert_eq!(ids(&lost.open), [r#""a""#, "4"]);
    assert_eq!(standing.loses().open, HashSet::new());
}

#[test]
fn a_session_is_what_was_opened_and_answered() {
    let mut standing = OpenRequests::default();
    send(&mut standing, INITIALIZE);
    assert!(standing.opening().is_none());
    receive(&mut standing, OPENED);
    let opening = standing.opening().unwrap();
    assert_eq!(opening.line, [INITIALIZE.as_bytes(), b"\n"].concat());
    assert!(opening.announces_tools && !opening.is_complete);
    send(&mut standing, INITIALIZED);
    assert!(standing.opening().unwrap().is_complete);
    // Another that is refused changes nothing.
    send(&mut standing, &INITIALIZE.replace('0', "5"));
    receive(&mut standing, r#"{"id":5,"error":{"code":-32600,"message":"already"}}"#);
    assert_eq!(standing.opening().unwrap().id, 0.into());
}

#[test]
fn a_session_whose_opening_was_not_answered_is_none() {
    let mut standing = OpenRequests::default();
    send(&mut standing, INITIALIZE);
    assert_eq!(ids(&standing.loses().open), ["0"]);
    receive(&mut standing, OPENED);
    assert!(standing.opening().is_none());
}

#[test]
fn that_a_client_is_ready_counts_also_when_nobody_hears_it() {
    let mut standing = OpenRequests::default();
    send(&mut standing, INITIALIZE);
    receive(&mut standing, r#"{"id":0,"result":{"capabilities":{}}}"#);
    standing.loses();
    standing.notes(&MessageGlance::at(INITIALIZED.as_bytes()));
    let opening = standing.opening().unwrap();
    assert!(opening.is_complete && !opening.announces_tools);
}

/// The next daemon counts its questions from the start too.
#[test]
fn the_answer_to_a_question_of_a_daemon_that_is_gone_reaches_no_other() {
    let mut standing = OpenRequests::default();
    receive(&mut standing, r#"{"id":"tg-1","method":"elicitation/create"}"#);
    receive(&mut standing, r#"{"id":"tg-2","method":"elicitation/create"}"#);
    assert!(send(&mut standing, r#"{"id":"tg-2","result":{}}"#));
    assert_eq!(ids(&standing.loses().asked), [r#""tg-1""#]);
    receive(&mut standing, r#"{"id":"tg-1","method":"elicitation/create"}"#);
    assert!(!send(&mut standing, r#"{"id":"tg-1","result":{}}"#));
    assert!(send(&mut standing, r#"{"id":"tg-1","result":{}}"#));
}

#[test]
fn why_a_session_is_not_opened_again_is_told() {
    let refusal = |line: &str| InitializeAnswer::refusal(line.as_bytes());
    assert_eq!(refusal(OPENED), None);
    let refused = refusal(r#"{"id":0,"error":{"code":-1,"message":"no such role"}}"#);
    assert_eq!(refused.as_deref(), Some("no such role"));
    assert!(refusal(r#"{"id":0}"#).is_some() && refusal("x").is_some());
}

/// Shows: E-1.
#[test]
fn what_a_client_asked_of_its_session_is_asked_again() {
    let mut standing = OpenRequests::default();
    send(&mut standing, INITIALIZE);
    receive(&mut standing, OPENED);
    let level = r#"{"id":1,"method":"logging/setLevel","params":{"level":"info"}}"#;
    let subscribe = |id: u32, uri: &str| {
        format!(r#"{{"id":{id},"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#)
    };
    send(&mut standing, level);
    send(&mut standing, &subscribe(2, "x:kept"));
    send(&mut standing, &subscribe(3, "x:refused"));
    send(&mut standing, &subscribe(4, "x:given-up"));
    for id in [1, 2, 4] {
        receive(&mut standing, &format!(r#"{{"id":{id},"result":{{}}}}"#));
    }
    receive(&mut standing, r#"{"id":3,"error":{"code":-32602,"message":"no"}}"#);
    let given_up = subscribe(5, "x:given-up").replace("/subscribe", "/unsubscribe");
    send(&mut standing, &given_up);
    standing.loses();
    let lines: Vec<_> =
        standing.wishes().into_iter().map(|wish| String::from_utf8(wish.line).unwrap()).collect();
    assert_eq!(lines, [format!("{level}\n"), format!("{}\n", subscribe(2, "x:kept"))]);
    // Another session has wishes of its own.
    send(&mut standing, &INITIALIZE.replace('0', "9"));
    receive(&mut standing, &OPENED.replace("\"id\":0", "\"id\":9"));
    assert_eq!(standing.wishes(), []);
}
