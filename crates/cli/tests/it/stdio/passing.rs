//! Bytes on their way: untouched in both directions, but for words that are not for the other end.

use toolgate_control::hello::{FromDaemon, line};
use toolgate_testkit::peak_memory;

use super::client::Client;
use super::daemon::{Daemon, OURS};
use super::{answer, call};
use crate::support::World;

/// Messages that a reader which writes them anew would change.
fn odd_lines() -> Vec<String> {
    let text = "x".repeat(3 << 20);
    vec![
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{{\"long\":\"{text}\"}}}}\n"),
        "  {\t\"method\" : \"b\",\"params\":{\"n\":1.50e+2, \"n2\":12345678901234567890} , \"id\":\"\\u0061\"}  \r\n".to_owned(),
        "\n".to_owned(),
        "   \n".to_owned(),
        "{\"id\":2,\"method\":\"ü\",\"params\":{\"t\":\"😀\u{202e}\\ud83d\\ude00\"}}\n".to_owned(),
        "this is no message\n".to_owned(),
        "[{\"id\":3,\"method\":\"c\"},{\"id\":4,\"method\":\"d\"}]\n".to_owned(),
        "{\"id\":5,\"id\":6,\"method\":\"e\"\n".to_owned(),
    ]
}

#[test]
fn every_byte_passes_as_it_is_in_both_directions() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    let all = odd_lines().concat();
    // In pieces that have nothing to do with lines.
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            all.as_bytes().chunks(70_001).for_each(|piece| client.send(piece));
            client.send("no end");
            client.finish();
        });
        let received = window.rest();
        sending.join().unwrap();
        assert!(received == (all.clone() + "no end").as_bytes(), "{} bytes", received.len());
    });
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            all.as_bytes().chunks(70_001).for_each(|piece| window.send(piece));
        });
        for line in odd_lines() {
            assert!(client.line() == line, "a line of {} bytes", line.len());
        }
    });
}

/// A shim is small, and stays it whatever passes: every window has one.
#[test]
fn an_answer_of_any_length_passes_as_it_comes() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    client.send([call(1), call(2)].concat());
    (0..2).for_each(|_| drop(window.line()));
    let (head, end) = ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"long\":\"", "\"}}\n");
    let piece = "0123456789abcdef".repeat(64 << 10);
    let before = peak_memory(window.peer());
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            window.send(head);
            (0..64).for_each(|_| window.send(&piece));
            window.send(end);
            window.send(answer(2));
        });
        let line = client.line();
        assert_eq!(line.len(), head.len() + 64 * piece.len() + end.len());
        assert!(line.starts_with(head) && line.ends_with(end));
        let text = &line[head.len()..line.len() - end.len()];
        assert!(text.as_bytes().chunks(piece.len()).all(|part| part == piece.as_bytes()));
        assert_eq!(client.line(), answer(2));
        sending.join().unwrap();
    });
    let grown = peak_memory(window.peer()).saturating_sub(before);
    assert!(grown < 8 << 10, "64 MiB passed, and {grown} KiB were needed");
}

#[test]
fn words_for_the_shim_go_no_further_and_neither_do_a_clients_for_the_daemon() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    let unknown = "{\"toolgate\":\"something new\",\"x\":1}\n";
    let word = String::from_utf8(line(&FromDaemon::Busy)).unwrap();
    let wants = FromDaemon::Wants { version: OURS.to_owned(), pid: 7, variables: Vec::new() };
    let wants = String::from_utf8(line(&wants)).unwrap();
    // Read in one go, and between two messages.
    window.send([&answer(1), unknown, &word, &answer(2), &wants, &answer(3)].concat());
    for id in 1..=3 {
        assert_eq!(client.line(), answer(id));
    }
    assert_eq!(window.text(), "{\"toolgate\":\"variables\",\"values\":{}}\n");
    let forged = "{\"toolgate\":\"variables\",\"values\":{\"TOKEN\":\"forged\"}}\n";
    client.send([&call(1), forged, "\u{feff}", forged, &call(2)].concat());
    assert_eq!(window.text(), call(1));
    assert_eq!(window.text(), format!(" {forged}"));
    assert_eq!(window.text(), format!(" \u{feff}{forged}"));
    assert_eq!(window.text(), call(2));
}

#[test]
fn many_requests_at_once_are_answered_in_any_order() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    client.send((0..500).map(call).collect::<String>());
    for id in 0..500 {
        assert_eq!(window.text(), call(id));
    }
    window.send((0..500).rev().map(answer).collect::<String>());
    for id in (0..500).rev() {
        assert_eq!(client.line(), answer(id));
    }
    drop(window);
    // Nothing was open, so nothing is said.
    client.finish();
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
}
