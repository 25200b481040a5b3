//! A command is hosted with its own variables and its own files, or not by the daemon at all.

use crate::daemon::house::house as world;
use crate::daemon::house::{Window, servers, teller};
use crate::keeper::Keeper;
use crate::support::{Ran, World};

fn call(world: &World, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = world.command(arguments);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn what_the_configuration_names_comes_from_the_person_who_types() {
    let world = world();
    world.local_with("s", &teller(), "approval = \"approve\"\nenv_vars = [\"TOKEN\"]");
    let keeper = Keeper::start(world);
    let who = |token: Option<&str>| {
        let token = token.map(|token| ("TOKEN", token));
        call(&keeper, token.as_slice(), &["call", "s", "who"]).ok().stdout
    };
    let (one, two, none) = (who(Some("one")), who(Some("two")), who(None));
    assert!(one != two && one != none && two != none, "{one} {two} {none}");
    assert_eq!((who(Some("one")), who(Some("two")), who(None)), (one.clone(), two, none));
    assert_eq!(servers(&keeper).len(), 3);
    let environment = std::fs::read(format!("/proc/{}/environ", one.trim())).unwrap();
    assert!(String::from_utf8_lossy(&environment).split('\0').any(|pair| pair == "TOKEN=one"));
    // In a file that needs it, an unset one is said as it is without a daemon.
    keeper.server("t", "url = \"https://${TOKEN}.example/mcp\"");
    let through = call(&keeper, &[], &["tools", "--server", "t"]);
    let alone = call(&keeper, &[], &["tools", "--server", "t", "--standalone"]);
    assert_eq!((through.code, through.stderr), (alone.code, alone.stderr));
}

#[test]
fn a_window_and_a_command_with_the_same_variables_share_a_server() {
    let world = world();
    world.local_with("s", &teller(), "approval = \"approve\"\nenv_vars = [\"TOKEN\"]");
    let keeper = Keeper::start(world);
    let mut window = Window::open_with(&keeper, &[("TOKEN", "x")], &[], &["stdio"]);
    let theirs = window.call("s__who");
    let same = call(&keeper, &[("TOKEN", "x")], &["call", "s", "who"]).ok().stdout;
    assert_eq!(same.trim(), theirs);
    let other = call(&keeper, &[("TOKEN", "y")], &["call", "s", "who"]).ok().stdout;
    assert_ne!(other.trim(), theirs);
    // And the window's server is as it was.
    assert_eq!(window.call("s__who"), theirs);
}

#[test]
fn the_file_and_the_inline_configuration_that_were_named_count() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    keeper.write("project/other.toml", "[servers.t]\nurl = \"https://t.example/mcp\"\n");
    let ran = keeper.run(&["--config", "other.toml", "call", "t", "x"]).fails_with(8);
    assert!(ran.stderr.contains("server t is pending"), "{ran:?}");
    let inline = r#"{"servers":{"u":{"url":"https://u.example/mcp"}}}"#;
    let variables = [("TOOLGATE_CONFIG_JSON", inline)];
    let ran = call(&keeper, &variables, &["tools", "--json"]).ok();
    let json = ran.json();
    assert_eq!(json["servers"][0]["id"], "u", "{json}");
    assert_eq!(json["servers"][0]["state"], "pending");
}

#[test]
fn a_daemon_with_another_configuration_of_your_own_is_not_asked() {
    let world = world();
    world.local("s", &teller());
    let own = world.write("home/own.toml", "[servers.mine]\ncommand = \"no-such-command\"\n");
    let keeper = Keeper::start(world);
    let first = keeper.run(&["call", "s", "who"]).ok().stdout;
    let variables = [("TOOLGATE_GLOBAL_CONFIG", own.to_str().unwrap())];
    let ran = call(&keeper, &variables, &["-v", "tools"]).fails_with(4);
    assert!(ran.stderr.contains("without the daemon: it has another configuration"), "{ran:?}");
    assert!(ran.stderr.contains("mine: "), "{ran:?}");
    assert_eq!(keeper.run(&["call", "s", "who"]).ok().stdout, first);
}
