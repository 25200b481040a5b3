//! `doctor`: each thing that can be wrong, and what to do about it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use toolgate_testkit::{Act, Script};

use crate::daemon::house::house as world;
use crate::daemon::house::{Daemon, eventually, is_alive, teller};
use crate::keeper::Keeper;
use crate::serve::gate::Gate;
use crate::stdio::daemon::run_folder;
use crate::support::{Ran, World};

const STATE: &str = "home/.local/state/toolgate";

/// What is wrong, and what to do.
fn wrong(ran: &Ran) -> Vec<(String, String)> {
    let json = ran.json();
    let findings = json["findings"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let wrong = findings.iter().filter(|finding| finding["isFine"] == false);
    wrong.map(|finding| (text(&finding["message"]), text(&finding["hint"]))).collect()
}

/// The only thing that is wrong.
#[track_caller]
fn only(world: &World) -> (String, String) {
    let ran = world.run(&["doctor", "--json"]).fails_with(1);
    let mut wrong = wrong(&ran);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    wrong.remove(0)
}

#[test]
fn a_machine_that_is_well_has_nothing_wrong() {
    let world = world();
    world.local("s", &teller());
    world.run(&["connect", "codex"]).ok();
    world.run(&["doctor"]).ok();
    let keeper = Keeper::start(world);
    keeper.run(&["call", "s", "who"]).ok();
    let before = listing(&keeper);
    let ran = keeper.run(&["doctor"]).ok();
    let text = ran.stdout.replace(&Daemon::of(&keeper).pid.to_string(), "<pid>");
    // What walls are made of differs from machine to machine.
    let (walls, text): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.contains("  sandbox: "));
    assert_eq!(walls.len(), 1, "{walls:?}");
    let text = text.join("\n");
    let program = assert_cmd::cargo::cargo_bin!("toolgate").display().to_string();
    insta::assert_snapshot!(text.replace(&program, "<toolgate>"), @"
    ok     configuration: 1 source, 1 server
    ok     clients: Codex (<world>/home/.codex/config.toml) starts <toolgate>
    ok     daemon: version 0.1.0 runs as pid <pid>
    ok     state: <world>/home/.local/state/toolgate is yours alone
    ok     processes: none was left behind
    ");
    assert_eq!(listing(&keeper), before, "nothing is changed");
}

/// Every file of a world but those that a daemon writes to meanwhile.
fn listing(world: &World) -> Vec<(String, u32)> {
    let mut open = vec![world.home()];
    let mut all = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                open.push(entry.path());
            }
            all.push((entry.path().display().to_string(), found.permissions().mode()));
        }
    }
    all.sort();
    all
}

/// Once its tools were seen: nothing is started for it.
#[test]
fn settings_of_tools_that_do_not_fit_them_are_noted() {
    let world = world();
    let search = r#"{"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"repo":{"type":"string"}},"required":["query","repo"]}}"#;
    let list = format!(r#"{{"tools":[{search},{{"name":"drop"}},{{"name":"find"}}]}}"#);
    world.local("code", &Script::legacy().on("tools/list", [Act::answer(list)]));
    let before = world.read(World::GLOBAL);
    let shapes = "[servers.code.tools.search]\nrename = \"find\"\nhide_parameters = [\"repo\"]\n\
                  default = { qery = \"x\" }\n\
                  [servers.code.tools.serch]\ndescription = \"Finds.\"\n\
                  [servers.code.tools.drop]\ndescription = \"Drops.\"\n";
    world.write(World::GLOBAL, &format!("{}\n{shapes}", before.trim_end()));
    let notes = || {
        let ran = world.run(&["doctor"]).ok().stdout;
        let about = ran.lines().filter(|line| line.contains("[servers.code.tools"));
        about.map(|line| format!("{line}\n")).collect::<String>()
    };
    insta::assert_snapshot!(notes(), @"note   configuration: [servers.code.tools]: whether these fit is known once the server was asked for its tools: toolgate tools --server code");
    world.run(&["tools"]).ok();
    insta::assert_snapshot!(notes(), @"
    note   configuration: [servers.code.tools.search]: it has no parameter `qery`; did you mean `query`?
    note   configuration: [servers.code.tools.search]: the server has a tool `find` too, which is set aside: give it another name
    note   configuration: [servers.code.tools.search]: `repo` is hidden, the tool requires it, and it has no `default`
    note   configuration: [servers.code.tools.serch]: the server has no such tool; did you mean `search`?
    ");
}

#[test]
fn problems_of_the_configuration_are_named() {
    let world = world();
    world.server("s", "comand = \"x\"");
    let ran = world.run(&["doctor", "--json"]).fails_with(1);
    let wrong = wrong(&ran);
    assert!(wrong.iter().any(|(what, _)| what.contains("comand")), "{wrong:?}");
    assert!(wrong.iter().all(|(_, todo)| todo.contains("toolgate config check")), "{wrong:?}");
}

#[test]
fn a_client_that_starts_another_program_is_named_with_the_way_to_connect_it() {
    let world = world();
    world.write("home/.codex/config.toml", "[mcp_servers.gate]\ncommand = \"/old/toolgate\"\n");
    let (what, todo) = only(&world);
    assert!(what.contains("Codex (<world>/home/.codex/config.toml)"), "{what}");
    assert!(what.ends_with("starts /old/toolgate, which is not there"), "{what}");
    assert_eq!(todo, "toolgate connect codex");
    world.write("home/.codex/config.toml", "[mcp_servers.gate]\ncommand = \"/bin/sh\"\n");
    assert!(only(&world).0.ends_with("starts /bin/sh, which is not this program"));
    world.run(&["connect", "codex"]).ok();
    world.run(&["doctor"]).ok();
    // A project's file, in another dialect.
    let entry = r#"{"mcp": {"gate": {"type": "local", "command": ["toolgate", "stdio"]}}}"#;
    world.write("project/opencode.json", entry);
    let (what, todo) = only(&world);
    assert!(what.contains("starts `toolgate`, wherever that is found"), "{what}");
    assert!(todo.ends_with("toolgate connect opencode --scope project"), "{todo}");
}

#[test]
fn a_client_whose_entry_leads_to_no_gate_is_named() {
    let world = world();
    let entry = |url: &str, token: &str| {
        let headers = format!("{{ Authorization = \"Bearer {token}\" }}");
        let text = format!("[mcp_servers.gate]\nurl = \"{url}\"\nhttp_headers = {headers}\n");
        world.write("home/.codex/config.toml", &text);
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    entry(&format!("http://localhost:{port}/mcp"), "x");
    let (what, todo) = only(&world);
    assert!(
        what.ends_with(&format!("http://localhost:{port}/mcp, where nothing listens")),
        "{what}"
    );
    assert!(todo.ends_with("toolgate connect codex --http"), "{todo}");
    let gate = Gate::on_free_port(&world);
    entry(&gate.endpoint(), gate.token());
    world.run(&["doctor"]).ok();
    entry(&gate.endpoint(), "tgt_forgotten");
    assert!(only(&world).0.contains("with a token that does not count"));
    let nowhere = format!("http://{}/w/other-0123456789abcdef/mcp", gate.address());
    entry(&nowhere, gate.token());
    assert!(only(&world).0.ends_with("which no folder is registered for"));
    // What is elsewhere is not called.
    entry("https://gate.example/mcp", "x");
    world.run(&["doctor"]).ok();
    world.write("home/.codex/config.toml", "[mcp_servers.gate]\nenabled = true\n");
    assert!(only(&world).0.ends_with("has an entry `gate` that leads nowhere"));
}

#[test]
fn what_others_may_read_or_write_is_named() {
    let world = world();
    world.local("s", &teller());
    world.run(&["call", "s", "who"]).ok();
    world.run(&["doctor"]).ok();
    let open = |path: &str, mode: u32| {
        let path = world.home().parent().unwrap().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    open(&format!("{STATE}/state.db"), 0o644);
    let (what, todo) = only(&world);
    assert!(what.contains("state.db (mode 644)"), "{what}");
    assert!(todo.starts_with("chmod go-rwx ") && todo.ends_with("state.db"), "{todo}");
    open(&format!("{STATE}/state.db"), 0o600);
    let run = run_folder(&world);
    fs::set_permissions(&run, fs::Permissions::from_mode(0o750)).unwrap();
    assert!(only(&world).1.starts_with("chmod 700 "));
    fs::set_permissions(&run, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(only(&world).0.contains("others may write into it (mode 777)"));
}

/// What reads secrets refuses such a file; here is said why, and how to mend it.
#[test]
fn a_file_of_secrets_that_is_not_its_owners_alone_is_named() {
    let world = world();
    world.run_with_input(&["secret", "set", "TOKEN"], "hush\n").ok();
    world.run(&["doctor"]).ok();
    let file = world.home().parent().unwrap().join(format!("{STATE}/secrets.json"));
    for mode in [0o644, 0o620, 0o700] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let (what, todo) = only(&world);
        assert!(
            what.contains(&format!("secrets.json is open to others (mode {mode:o})")),
            "{what}"
        );
        let mends = format!("chmod 600 {}", file.display());
        assert!(todo.replace("<world>", "").contains("chmod 600 "), "{todo}: {mends}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    world.run(&["doctor"]).ok();
    fs::rename(&file, file.with_extension("elsewhere")).unwrap();
    std::os::unix::fs::symlink(file.with_extension("elsewhere"), &file).unwrap();
    assert!(only(&world).0.contains("is a link"));
}

#[test]
fn a_database_that_cannot_be_read_is_named() {
    let world = world();
    world.write(&format!("{STATE}/state.db"), "this is no database, and long enough to be none");
    for path in ["", "/state.db"] {
        let path = world.home().parent().unwrap().join(format!("{STATE}{path}"));
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    assert!(only(&world).0.contains("state.db"));
}

#[test]
fn what_a_daemon_left_that_was_killed_is_named() {
    let keeper = Keeper::start(world());
    let daemon = Daemon::of(&keeper);
    daemon.signal("KILL");
    eventually("it is gone", || !is_alive(daemon.pid));
    let (what, todo) = only(&keeper);
    assert!(what.contains("agent.sock and ") && what.contains("control.sock"), "{what}");
    assert!(todo.contains("toolgate restart"), "{todo}");
    keeper.run(&["restart"]).ok();
    keeper.run(&["doctor"]).ok();
}

#[test]
fn a_daemon_that_does_not_answer_is_named_with_its_process() {
    let keeper = Keeper::start(world());
    let daemon = Daemon::of(&keeper);
    fs::remove_file(run_folder(&keeper).join("control.sock")).unwrap();
    let (what, todo) = only(&keeper);
    assert_eq!(what, "one runs and cannot be reached");
    assert_eq!(todo, format!("end it: kill {}", daemon.pid));
    daemon.signal("TERM");
    daemon.ended();
}

#[test]
fn a_daemon_of_another_version_is_named() {
    let world = world();
    let folder = run_folder(&world);
    let listener = std::os::unix::net::UnixListener::bind(folder.join("control.sock")).unwrap();
    let answering = std::thread::spawn(move || {
        use std::io::{BufRead as _, BufReader, Write as _};
        let (stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        let info =
            r#"{"version":"0.0.1","pid":7,"since":0,"stays":false,"endpoint":null,"windows":0}"#;
        writeln!(&stream, "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{info}}}").unwrap();
    });
    let (what, todo) = only(&world);
    assert!(what.starts_with("version 0.0.1 runs as pid 7, and this is version "), "{what}");
    assert_eq!(todo, "toolgate restart");
    answering.join().unwrap();
}
