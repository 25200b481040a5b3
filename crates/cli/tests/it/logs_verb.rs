//! `logs`: what was logged, for people and for programs, now and as it comes.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::daemon::house::house as world;
use crate::daemon::house::{signal_to, teller};
use crate::keeper::Keeper;
use crate::support::{World, end_if_it_hangs};

#[test]
fn the_last_lines_of_all_files_are_printed_the_newest_last() {
    let world = World::new();
    let file = |name: &str, from: u32| {
        let line = |number: u32| {
            format!(
                "{{\"timestamp\":\"2026-01-01T00:00:0{number}Z\",\"level\":\"INFO\",\
                 \"message\":\"line {number}\",\"target\":\"toolgate\",\"pid\":7,\
                 \"server\":\"a b\"}}\n"
            )
        };
        let text: String = (from..from + 2).map(line).collect();
        world.write(&format!("home/.local/state/toolgate/logs/{name}"), &text)
    };
    file("toolgate.log.2", 1);
    file("toolgate.log.1", 3);
    file("toolgate.log", 5);
    insta::assert_snapshot!(world.run(&["logs", "-n", "3"]).ok().stdout, @r#"
    2026-01-01T00:00:04Z INFO  line 4 pid=7 server="a b"
    2026-01-01T00:00:05Z INFO  line 5 pid=7 server="a b"
    2026-01-01T00:00:06Z INFO  line 6 pid=7 server="a b"
    "#);
    let json = world.run(&["logs", "--json"]).ok().stdout;
    let messages = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages: Vec<_> = messages.map(|line| line["message"].clone()).collect();
    assert_eq!(messages, [1, 2, 3, 4, 5, 6].map(|number| format!("line {number}")));
}

#[test]
fn where_nothing_was_logged_that_is_said() {
    let ran = World::new().run(&["logs"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "nothing was logged yet\n"));
}

#[test]
fn what_the_daemon_logs_is_followed_over_a_rotation() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut logs = keeper
        .command(&["logs", "--follow", "--json", "-n", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let _watched = end_if_it_hangs(logs.id());
    let mut lines = BufReader::new(logs.stdout.take().unwrap()).lines();
    let mut until = |server: &str| loop {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if line["server"] == server && line["state"] == "ready" {
            return;
        }
    };
    keeper.run(&["call", "s", "who"]).ok();
    until("s");
    // As the log does it when a file is full.
    let folder = keeper.home().join(".local/state/toolgate/logs");
    std::fs::rename(folder.join("toolgate.log"), folder.join("toolgate.log.1")).unwrap();
    keeper.local("t", &teller());
    keeper.run(&["tools", "--server", "t"]).ok();
    until("t");
    signal_to(logs.id(), "INT");
    assert_eq!(logs.wait().unwrap().code(), Some(0));
}
