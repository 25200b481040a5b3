//! `approvals --watch`: what comes and goes, for programs and for a person who answers right there.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc;

use serde_json::{Value, json};

use super::asking::{begin, decisions, person, reference, waiting, world};
use crate::daemon::house::{Ends, Window, signal_to};
use crate::keeper::Keeper;
use crate::support::{World, end_if_it_hangs};

/// A program that reads what is told, line by line.
struct Reader {
    child: Child,
    lines: BufReader<ChildStdout>,
    _watched: mpsc::Sender<()>,
}

impl Reader {
    fn start(world: &World, more: &[&str]) -> Self {
        let arguments = [&["approvals", "--watch"], more].concat();
        let mut child = world.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { _watched: end_if_it_hangs(child.id()), child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ended");
        line
    }

    fn event(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Ctrl-C.
    fn end(mut self) {
        signal_to(self.child.id(), "INT");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_program_reads_a_document_for_each_event() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    // One is there already.
    let first = begin(&mut window);
    let reference = reference(&world);
    let mut reader = Reader::start(&world, &["--json"]);
    let asked = reader.event();
    assert_eq!((&asked["schemaVersion"], &asked["event"]), (&json!(1), &json!("asked")));
    assert_eq!((&asked["ref"], &asked["tool"]), (&json!(reference), &json!("who")));
    assert!(asked["text"].as_str().unwrap().contains("notes.md"), "{asked}");
    person(&world, &["deny", &reference, "--reason", "no"]).ok();
    let settled = reader.event();
    let expected = json!({"schemaVersion": 1, "event": "settled", "ref": reference,
        "outcome": "denied", "choice": "deny", "channel": "queue", "reason": "no"});
    assert_eq!(settled, expected);
    window.answer(first);
    // And one comes, whose caller then does not want it any more.
    let second = begin(&mut window);
    assert_eq!(reader.event()["event"], "asked");
    window.cancel(second);
    assert_eq!(reader.event()["outcome"], "withdrawn");
    reader.end();
}

#[test]
fn without_a_terminal_it_only_tells() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let mut reader = Reader::start(&world, &[]);
    begin(&mut window);
    let heading = reader.line();
    let reference = reference(&world);
    assert!(heading.starts_with(&format!("ref {reference} · s/who · ")), "{heading}");
    person(&world, &["approve", &reference]).ok();
    let mut lines = Vec::new();
    while !lines.last().is_some_and(|line: &String| line.contains("approved")) {
        lines.push(reader.line());
    }
    assert!(lines.iter().all(|line| !line.contains("[o]nce")), "{lines:?}");
    let end = format!("ref {reference} · s/who · approved: once (queue)\n");
    assert_eq!(*lines.last().unwrap(), end);
    reader.end();
}

#[test]
fn a_daemon_that_ends_takes_all_with_it_and_the_next_is_watched() {
    let keeper = Keeper::start(world());
    let mut reader = Reader::start(&keeper, &["--json"]);
    let mut window = Window::open(&keeper);
    begin(&mut window);
    assert_eq!(reader.event()["event"], "asked");
    drop(window);
    assert_eq!(reader.event()["outcome"], "withdrawn");
    keeper.run(&["restart"]).ok();
    let mut window = Window::open(&keeper);
    begin(&mut window);
    assert_eq!(reader.event()["event"], "asked");
    reader.end();
}

#[test]
fn a_person_at_a_terminal_is_asked_about_the_oldest() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    let reference = reference(&world);
    let mut terminal = world.at_terminal(&["approvals", "--watch"]);
    terminal.until(&format!("allow s/who (ref {reference})? [o]nce [s]ession [d]eny [i]gnore:"));
    // Nothing but a word that is offered is an answer.
    for typed in ["", "yes", "onc", "x"] {
        terminal.type_in(&format!("{typed}\n"));
        terminal.until_again("[i]gnore:");
    }
    terminal.type_in("O\n");
    terminal.until("approved: once (queue)");
    window.answer(id);
    assert_eq!(decisions(&world, 1)[0]["body"]["approval"]["channel"], "queue");
    terminal.type_in("\u{3}");
    terminal.ended(&world).ok();
}

#[test]
fn a_question_is_taken_back_when_it_was_answered_elsewhere_and_the_next_is_asked() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let mut other = Window::open(&world);
    let first = begin(&mut window);
    let one = reference(&world);
    let mut terminal = world.at_terminal(&["approvals", "--watch"]);
    terminal.until(&format!("(ref {one})? [o]nce"));
    terminal.until("[i]gnore:");
    let second = begin(&mut other);
    let waiting = waiting(&world, 2);
    let two = waiting[1]["ref"].as_str().unwrap();
    // The oldest is asked about again, below what is new.
    terminal.until(&format!("ref {two} · s/who"));
    terminal.until_again("[i]gnore:");
    // What was typed for one is no answer to the next.
    terminal.type_in("o");
    person(&world, &["deny", &one]).ok();
    window.answer(first);
    terminal.until("denied: deny (queue)");
    terminal.until(&format!("(ref {two})? [o]nce"));
    terminal.until_again("[i]gnore:");
    terminal.type_in("\n");
    terminal.until_again("[i]gnore:");
    terminal.type_in("deny\n");
    let result = &other.answer(second)["result"];
    assert_eq!(result["_meta"]["toolgate/reason"], "denied");
    // Ctrl-D ends it.
    terminal.until_again("denied: deny (queue)");
    terminal.type_in("\u{3}");
    terminal.ended(&world).ok();
}

#[test]
fn what_is_ignored_still_waits() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    begin(&mut window);
    let one = reference(&world);
    let mut terminal = world.at_terminal(&["approvals", "--watch"]);
    terminal.until("[i]gnore:");
    terminal.type_in("i\n");
    let mut other = Window::open(&world);
    begin(&mut other);
    let both = waiting(&world, 2);
    assert_eq!(both[0]["ref"], one);
    let two = both[1]["ref"].as_str().unwrap();
    terminal.until(&format!("allow s/who (ref {two})?"));
    terminal.until_again("[i]gnore:");
    // The end of input is the end of it, and no answer.
    terminal.type_in("\u{4}");
    terminal.ended(&world).ok();
    waiting(&world, 2);
}

/// What is longer than the terminal can be allowed only after all of it was looked through.
#[test]
fn what_does_not_fit_is_looked_through_page_by_page_before_it_can_be_allowed() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let lines = format!("{}touch M", "ls\n".repeat(40));
    let call = json!({"name": "s__who", "arguments": {"command": lines}});
    let id = window.send("tools/call", call);
    let reference = reference(&world);
    let mut terminal = world.at_terminal(&["approvals", "--watch"]);
    let unseen = "pages; look at it? [v]iew [d]eny [i]gnore:";
    terminal.until(unseen);
    // It is not offered unseen.
    terminal.type_in("once\n");
    terminal.until_again(unseen);
    terminal.type_in("v\n");
    let text = terminal.text();
    let (_, rest) = text.split_once(" takes ").unwrap();
    let pages: usize = rest.split(' ').next().unwrap().parse().unwrap();
    assert!(pages > 1, "{pages}");
    for page in 1..pages {
        terminal.until(&format!("-- page {page} of {pages}: Enter for the next, q to stop --"));
        assert!(!terminal.text().contains("touch M"), "it is further down");
        terminal.type_in("\n");
    }
    terminal.until("~ touch M");
    // The question stands beside what it is about.
    terminal.until(&format!("allow s/who (ref {reference})?"));
    terminal.until("[i]gnore:");
    terminal.type_in("o\n");
    terminal.until("approved: once (queue)");
    window.answer(id);
    terminal.type_in("\u{3}");
    terminal.ended(&world).ok();
}
