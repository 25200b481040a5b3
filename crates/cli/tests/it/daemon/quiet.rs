//! A shim and a daemon with nothing to do: they are small, and go on as if nothing had been.

use super::house::{Daemon, Ends, Window, eventually, house, teller};

/// In kilobytes, the pages of files that a process has in memory: nearly all of its program.
fn mapped(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The child of what plays the client.
fn shim_of(client: u32) -> u32 {
    let children = std::fs::read_to_string(format!("/proc/{client}/task/{client}/children"));
    children.unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn what_is_not_needed_while_nothing_passes_is_given_back_and_comes_back() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let pid = window.call("a__who");
    let (shim, daemon) = (shim_of(window.client.pid()), Daemon::of(&world).pid);
    let before = [shim, daemon].map(mapped);
    for (process, before) in [shim, daemon].into_iter().zip(before) {
        eventually("it has given back half", || mapped(process) < before / 2);
    }
    assert_eq!(window.call("a__who"), pid);
    assert!(window.tools().iter().any(|tool| tool == "a__who"));
    // What a new thread and a failure need is there as well.
    let refused = window.ask("tools/call", serde_json::json!({"name": "a__none"}));
    assert!(refused["error"]["message"].is_string() || refused["result"]["isError"] == true);
    let mut second = Window::open(&world);
    assert_eq!(second.call("a__who"), pid);
}
