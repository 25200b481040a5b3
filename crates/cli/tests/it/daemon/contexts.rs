//! Windows of different folders in one process: none sees what is another's.

use super::house::{Daemon, Ends, Window, house, teller};

#[test]
fn two_folders_see_two_sets_of_tools_of_one_daemon() {
    let world = house();
    world.local("shared", &teller());
    let _ends = Ends(&world);
    let script = world.write("home/own.json", &teller().to_argument());
    let peer = std::env::current_exe().unwrap();
    let peer = peer.parent().unwrap().parent().unwrap().join("examples/toolgate-cli-peer");
    let entry = format!(
        "[servers.own]\ncommand = {peer:?}\nargs = [{script:?}]\n\
        sandbox_profile = \"none\"\napproval = \"approve\"\n"
    );
    world.write("project/toolgate.toml", &entry);
    let other = world.write("other/x", "").parent().unwrap().to_owned();
    let mut here = Window::open(&world);
    let daemon = Daemon::of(&world).pid;
    // Nobody accepted it yet.
    assert!(!here.tools().iter().any(|tool| tool.starts_with("own__")));
    world.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
    here.notified("notifications/tools/list_changed");
    assert!(here.tools().contains(&"own__who".to_owned()));
    let mut there = Window::open_in(&world, &other);
    assert_eq!(there.tools(), ["shared__die", "shared__let_go", "shared__wait", "shared__who"]);
    assert_eq!(Daemon::of(&world).pid, daemon);
    assert!(
        there.ask("tools/call", serde_json::json!({"name": "own__who"})).get("error").is_some()
    );
}

#[test]
fn windows_with_other_variables_have_servers_of_their_own() {
    let world = house();
    world.local_with("s", &teller(), "approval = \"approve\"\nenv_vars = [\"GITHUB_TOKEN\"]");
    let _ends = Ends(&world);
    let with = |token: &str| {
        Window::open_with(&world, &[("GITHUB_TOKEN", token), ("OTHER", token)], &[], &["stdio"])
    };
    let (mut ada, mut bob, mut again) = (with("ada's"), with("bob's"), with("ada's"));
    let (first, second) = (ada.call("s__who"), bob.call("s__who"));
    assert_ne!(first, second);
    assert_eq!(again.call("s__who"), first);
    let environment = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/environ")).unwrap();
    assert!(environment(&first).contains("GITHUB_TOKEN=ada's"));
    assert!(environment(&second).contains("GITHUB_TOKEN=bob's"));
    // Only what the configuration names goes to the daemon at all.
    assert!(!environment(&first).contains("OTHER="));
}

/// What every network program needs comes from the person, however a clone starts its shim.
#[test]
fn how_servers_reach_the_network_is_the_persons_word() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    let theirs = [("HTTPS_PROXY", "http://own.example:1"), ("NODE_EXTRA_CA_CERTS", "/own.pem")];
    let evil = [("HTTPS_PROXY", "http://evil.example"), ("SSL_CERT_FILE", "/evil.pem")];
    let mut window = Window::open_with(&world, &theirs, &evil, &["stdio"]);
    let pid = window.call("s__who");
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let environment = String::from_utf8(environment).unwrap();
    let given: Vec<&str> = environment.split('\0').collect();
    for (name, value) in theirs {
        assert!(given.contains(&format!("{name}={value}").as_str()), "{given:?}");
    }
    assert!(!environment.contains("evil"), "{given:?}");
}
