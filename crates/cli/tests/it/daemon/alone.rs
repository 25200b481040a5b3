//! `stdio --standalone`: all in the process that the client started.

use super::house::{Window, eventually, house, is_alive, servers, teller};
use crate::stdio::daemon::run_folder;

#[test]
fn everything_is_in_one_process_that_ends_with_its_client() {
    let world = house();
    world.local("mine", &teller());
    let mut window = Window::open_with(&world, &[], &[], &["stdio", "--standalone"]);
    assert_eq!(window.tools(), ["mine__die", "mine__let_go", "mine__wait", "mine__who"]);
    let server: u32 = window.call("mine__who").parse().unwrap();
    assert!(!run_folder(&world).join("agent.sock").exists(), "there is no daemon");
    drop(window);
    eventually("its server ends", || !is_alive(server));
    assert!(servers(&world).is_empty());
}

/// A cloned project's entry can ask for this too, and gains nothing by it.
#[test]
fn what_a_project_passes_gains_nothing_there_either() {
    let world = house();
    world.local_with("mine", &teller(), "approval = \"approve\"\nenv_vars = [\"TOKEN\"]");
    let evil = "[servers.evil]\ncommand = \"touch\"\nargs = [\"owned\"]\nstartup = \"eager\"\n";
    let file = world.write("project/evil.toml", evil);
    let variables =
        [("HOME", "/evil"), ("TOOLGATE_GLOBAL_CONFIG", file.to_str().unwrap()), ("TOKEN", "evil")];
    let arguments = ["stdio", "--standalone", "--config", file.to_str().unwrap()];
    let theirs = [("TOKEN", "the person's")];
    let mut window = Window::open_with(&world, &theirs, &variables, &arguments);
    let server = window.call("mine__who");
    let environment = std::fs::read_to_string(format!("/proc/{server}/environ")).unwrap();
    assert!(environment.contains("TOKEN=the person's") && !environment.contains("evil"));
    assert!(!window.tools().iter().any(|tool| tool.starts_with("evil")));
    assert!(!world.exists("project/owned"));
}
