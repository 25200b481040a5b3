//! Servers behind the gate do what agents call for, so what they start is an agent's too.

use std::fs;

use super::agent::toolgate;
use crate::daemon::house::{Ends, Window, house, teller};
use crate::stdio::client::Client;
use crate::stdio::daemon::runtime_folder;
use crate::support::{World, peer_path};

/// A server that runs a verb before it serves.
fn server(world: &World) {
    let script = world.write("home/s.json", &teller().to_argument());
    let verb = format!("{} token create new >out 2>&1; echo $? >code", toolgate());
    let line = format!("{verb}; exec {} {}", peer_path().display(), script.display());
    let run = runtime_folder(world);
    let keys = format!("args = [\"-c\", {line:?}]\nenv = {{ XDG_RUNTIME_DIR = {run:?} }}");
    world.server("s", &format!("command = \"sh\"\n{keys}\napproval = \"approve\""));
}

/// Also where the daemon is another file than the verb, and only knows itself what it is.
#[test]
fn a_server_that_the_daemon_started_may_not_change_what_is_trusted() {
    for is_copied in [false, true] {
        let world = house();
        let _ends = Ends(&world);
        server(&world);
        let copy = world.home().join("another");
        fs::copy(toolgate(), &copy).unwrap();
        let program = if is_copied { copy.display().to_string() } else { toolgate() };
        let client = Client::start_command(&world, &[], &[], &[&program, "stdio"]);
        Window::begin(client).call("s__who");
        let said = world.read("project/out");
        assert_eq!(world.read("project/code"), "6\n", "{said}");
        assert!(said.contains("may not do this"), "{said}");
    }
}

#[test]
fn nor_may_one_that_a_window_without_a_daemon_started() {
    let world = house();
    server(&world);
    let mut window = Window::open_with(&world, &[], &[], &["stdio", "--standalone"]);
    window.call("s__who");
    assert_eq!(world.read("project/code"), "6\n");
}
