//! `trust`: what a project brings is shown whole and asked for; nothing accepts itself.

use crate::support::World;

const PROJECT: &str = r#"
[servers.files]
command = "node"
args = ["server.js", "--root", "a b"]
env = { NODE_ENV = "production", API_TOKEN = "canary" }
trust = "trusted"

[tools.deploy]
command = "./deploy.sh"
side_effects = ["network"]
allow_network = true
"#;

fn cloned() -> World {
    let world = World::new();
    world.write("project/toolgate.toml", PROJECT);
    world.write("project/server.js", "1");
    world.write("project/deploy.sh", "echo");
    world
}

fn standing(world: &World) -> String {
    world.run(&["trust", "--list"]).ok().stdout
}

#[test]
fn a_repositorys_config_runs_nothing_its_entries_are_pending_whatever_the_file_says() {
    let world = cloned();
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id     transport  source   enabled  trust
    files  stdio      project  true     pending
    ");
    insta::assert_snapshot!(standing(&world), @"
    kind    id      state                         project
    server  files   pending: never accepted here  <world>/project
    tool    deploy  pending: never accepted here  <world>/project
    ");
}

#[test]
fn without_a_terminal_nothing_is_accepted() {
    let world = cloned();
    let ran = world.run(&["trust"]).fails_with(8);
    insta::assert_snapshot!(ran.stdout, @"
    server files
      from              toolgate.toml:2
      pending           never accepted here
      runs              node server.js --root 'a b'
      env               NODE_ENV=production
      env               API_TOKEN=canary
      sandbox_profile   default
      enabled           true
      trust             trusted
      file              server.js (sha256 6b86b273ff34fce1)

    tool deploy
      from              toolgate.toml:8
      pending           never accepted here
      runs              ./deploy.sh
      enabled           true
      side_effects      network
      sandbox_profile   default
      allow_network     true
      requires_approval true
      timeout_ms        120000
      file              ./deploy.sh (sha256 092c79e8f80e559e)
    ");
    assert!(standing(&world).contains("pending"));
}

/// Shows: C7, S2-12.
#[test]
fn a_person_accepts_one_by_one_and_a_no_stays_a_no() {
    let world = cloned();
    let ran = world.run_at_terminal(&["trust"], "y\nn\n").fails_with(8);
    assert!(ran.stdout.contains("accept server files as trusted? [y/N]"), "{ran:?}");
    insta::assert_snapshot!(standing(&world), @"
    kind    id      state                         project
    tool    deploy  pending: never accepted here  <world>/project
    server  files   trusted                       <world>/project
    ");
    world.run_at_terminal(&["trust", "deploy", "--trusted"], "yes\n").ok();
    let list = standing(&world);
    assert!(!list.contains("pending"), "{list}");
    world.run(&["trust"]).ok();
}

#[test]
fn one_changed_byte_anywhere_asks_again() {
    let accept = |world: &World| world.run_at_terminal(&["trust"], "y\ny\n").ok();
    let world = cloned();
    accept(&world);
    world.write("project/server.js", "2");
    assert!(standing(&world).contains("server.js changed since it was accepted"));
    accept(&world);
    world.write("project/toolgate.toml", &PROJECT.replace("a b", "a c"));
    assert!(standing(&world).contains("pending: changed since it was accepted"));
    world.write("project/toolgate.toml", &format!("# a comment\n{PROJECT}"));
    world.write("project/server.js", "2");
    assert!(!standing(&world).contains("pending"), "{}", standing(&world));
}

#[test]
fn a_moved_project_is_another_project() {
    let world = cloned();
    world.run_at_terminal(&["trust"], "y\ny\n").ok();
    let moved = world.project().with_file_name("moved");
    std::fs::rename(world.project(), &moved).unwrap();
    let output = world.command(&["list"]).current_dir(&moved).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("pending"));
}

#[test]
fn an_acceptance_can_be_taken_back() {
    let world = cloned();
    world.run_at_terminal(&["trust", "files"], "y\n").ok();
    assert!(world.run(&["list"]).ok().stdout.contains("trusted"));
    world.run(&["trust", "--revoke", "files"]).ok();
    assert!(world.run(&["list"]).ok().stdout.contains("pending"));
    let ran = world.run(&["trust", "--revoke", "files"]).fails_with(1);
    assert!(ran.stderr.contains("nothing was accepted here"), "{ran:?}");
    world.run(&["trust", "nope"]).fails_with(1);
}

#[test]
fn what_is_shown_hides_nothing() {
    let world = World::new();
    world.write(
        "project/toolgate.toml",
        "[servers.evil]\ncommand = \"sh\"\nargs = [\"-c\", \"ls\\u001b[2K\\r\\u202etxt.exe\"]\n",
    );
    let ran = world.run(&["trust"]).fails_with(8);
    insta::assert_snapshot!(ran.stdout, @r"
    server evil
      from              toolgate.toml:1
      pending           never accepted here
      runs              sh -c $'ls\u{1b}[2K\r\u{202e}txt.exe'
      sandbox_profile   default
      enabled           true
    ");
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}', '\r']));
}

#[test]
fn the_command_line_is_shown_exactly_even_where_it_looks_like_a_secret() {
    let world = World::new();
    world.write(
        "project/toolgate.toml",
        "[servers.sly]\ncommand = \"run\"\nargs = [\"--token\", \"; rm -rf /\", \"--key=${SET}\"]\n",
    );
    let world = world.with("SET", "canary");
    let ran = world.run(&["trust"]).fails_with(8);
    assert!(ran.stdout.contains("run --token '; rm -rf /' --key=${SET}\n"), "{ran:?}");
}

/// Whoever wrote the entry could call anything a secret, and give it the shape of one.
#[test]
fn environment_headers_and_folder_are_shown_as_they_are_written() {
    let world = World::new().with("SET", "canary");
    world.write(
        "project/toolgate.toml",
        r#"
[servers.sly]
command = "bash"
cwd = "sk-there"
env = { BASH_ENV = "xoxb-$(touch M)", API_TOKEN = "; touch M", SECRET = "a ${SET} b" }

[servers.far]
url = "https://a.example/mcp?token=sent&x=${SET}"
headers = { Authorization = "Bearer $(x)", X-Key = "k-${SET}" }
oauth = { client_id = "me", client_secret = "shh" }
auth_provider = "p-${SET}"

[tools.odd]
command = "./odd.sh"
env = { PASSWORD = "xoxb-`id`" }
"#,
    );
    let ran = world.run(&["trust"]).fails_with(8);
    for line in [
        "  cwd               sk-there",
        "  env               BASH_ENV='xoxb-$(touch M)'",
        "  env               API_TOKEN='; touch M'",
        "  env               SECRET='a ${SET} b'",
        "  url               https://a.example/mcp?token=sent&x=${SET}",
        "  headers           Authorization='Bearer $(x)'",
        "  headers           X-Key=k-${SET}",
        "  oauth             client_secret=shh",
        "  auth_provider     p-${SET}",
        "  env               PASSWORD='xoxb-`id`'",
    ] {
        assert!(ran.stdout.contains(&format!("{line}\n")), "{line:?}: {ran:#?}");
    }
    assert!(!ran.stdout.contains("***") && !ran.stdout.contains("canary"), "{ran:#?}");
    let json = world.run(&["trust", "--list", "--json"]).ok();
    let sly = &json.json()["pending"][0]["entry"];
    assert_eq!(sly["env"]["BASH_ENV"], "xoxb-$(touch M)");
    assert!(!json.stdout.contains("***") && !json.stdout.contains("canary"), "{json:?}");
    // Elsewhere than at the question a token is a token.
    assert!(world.run(&["get", "sly"]).ok().stdout.contains("BASH_ENV = \"***\""));
}

/// An entry with more lines than a terminal, and the command at the top of them.
fn long_entry() -> World {
    let world = World::new();
    let env: Vec<String> = (0..60).map(|number| format!("V{number} = \"{number}\"")).collect();
    let env = env.join(", ");
    world.write(
        "project/toolgate.toml",
        &format!(
            "[servers.long]\ncommand = \"sh\"\nargs = [\"-c\", \"exit 1\"]\nenv = {{ {env} }}\nsandbox_profile = \"none\"\n"
        ),
    );
    world
}

#[test]
fn a_long_entry_is_leafed_through_and_the_command_stands_beside_the_question() {
    let world = long_entry();
    let mut terminal = world.at_terminal(&["trust"]);
    for page in ["page 1 of 3", "page 2 of 3"] {
        terminal.until_again(page);
        terminal.until_again("q for no -- ");
        terminal.type_in("\n");
    }
    terminal.until_again("accept server long as untrusted? [y/N] ");
    terminal.type_in("n\n");
    let ran = terminal.ended(&world).fails_with(8);
    let pages: Vec<&str> = ran.stdout.split(" -- \n").collect();
    assert_eq!(pages.len(), 3, "{ran:#?}");
    for page in &pages {
        assert!(page.lines().count() <= 24, "{page}");
    }
    assert!(pages[0].contains("runs              sh -c 'exit 1'"), "{ran:#?}");
    let again = "runs sh -c 'exit 1'\naccept server long as untrusted? [y/N] ";
    assert!(pages[2].contains(again), "{ran:#?}");
    for number in 0..60 {
        assert!(ran.stdout.contains(&format!("V{number}={number}\n")), "{number}: {ran:#?}");
    }
}

#[test]
fn nothing_is_accepted_that_was_not_looked_through() {
    let world = long_entry();
    // A yes before the question is the next page; the end of input is the end.
    for typed in ["q\n", "y\n\u{4}", "y\ny\n\u{4}", "\u{4}"] {
        world.run_at_terminal(&["trust"], typed).fails_with(8);
        assert!(standing(&world).contains("pending"), "{typed:?}");
    }
    world.run_at_terminal(&["trust"], "\n\ny\n\u{4}").ok();
    let after = standing(&world);
    assert!(!after.contains("pending"), "{after}");
}

#[test]
fn blanks_push_nothing_out_of_sight() {
    let world = World::new();
    let blanks = " ".repeat(5000);
    world.write(
        "project/toolgate.toml",
        &format!("[servers.far]\ncommand = \"sh\"\nargs = [\"-c\", \"ls{blanks};touch M\"]\n"),
    );
    let mut terminal = world.at_terminal(&["trust"]);
    terminal.until("[y/N] ");
    terminal.type_in("n\n");
    let ran = terminal.ended(&world).fails_with(8);
    let line = "sh -c $'ls\\u{20}×5000;touch M'\n";
    assert_eq!(ran.stdout.matches(line).count(), 2, "{ran:#?}");
}

#[test]
fn whoever_does_not_see_the_question_is_not_asked() {
    let world = cloned();
    let program = assert_cmd::cargo::cargo_bin!("toolgate");
    let script = format!("exec {} trust 2>/dev/null", program.display());
    let mut terminal = world.program_at_terminal("sh", &["-c", &script]);
    terminal.type_in("y\ny\n");
    terminal.ended(&world).fails_with(8);
    assert_eq!(standing(&world).matches("pending").count(), 2);
}

#[test]
fn an_added_server_is_accepted_only_if_a_person_typed_it() {
    let world = World::new();
    world.run(&["add", "piped", "--", "x"]).ok();
    world.run_at_terminal(&["add", "typed", "--", "x"], "n\n").ok();
    world.run_at_terminal(&["add", "wary", "--trust", "untrusted", "--", "x"], "").ok();
    assert!(!world.read("project/toolgate.toml").contains("trust"));
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id     transport  source   enabled  trust
    piped  stdio      project  true     pending
    typed  stdio      project  true     trusted
    wary   stdio      project  true     untrusted
    ");
}

#[test]
fn what_cannot_be_watched_is_said_beside_the_entry() {
    let world = World::new();
    world.write(
        "project/toolgate.toml",
        "[servers.moving]\ncommand = \"bunx\"\nargs = [\"-y\", \"server\"]\n\
         [servers.script]\ncommand = \"sh\"\nargs = [\"-c\", \"exec $RUN\"]\n",
    );
    let ran = world.run(&["trust"]).fails_with(8);
    for said in [
        "  not watched       `bunx` runs whichever version of `server` there is at each start;",
        "  not watched       a script in it takes what it runs from variables, patterns or other",
    ] {
        assert!(ran.stdout.contains(said), "{ran:?}");
    }
    let listed = world.run(&["trust", "--list", "--json"]).ok().json();
    let unwatched = listed["pending"][0]["unwatched"][0].as_str().unwrap();
    assert!(unwatched.contains("whichever version"), "{listed}");
}

#[test]
fn what_runs_asks_again_when_it_changed_however_it_is_named() {
    for (line, file) in [
        ("command = \"sh\"\nargs = [\"-c\", \"exec './my run.sh'\"]", "my run.sh"),
        ("command = \"sh\"\nargs = [\"-c\", \"exec ./run@1.sh\"]", "run@1.sh"),
        ("command = \"python3\"\nargs = [\"-mserver\"]", "server.py"),
        (
            "command = \"python3\"\nargs = [\"-m\", \"server\"]\nenv = { PYTHONPATH = \"src\" }",
            "src/server.py",
        ),
        (
            "command = \"python3\"\nargs = [\"x.py\"]\nenv = { PYTHONPATH = \"src\" }",
            "src/sitecustomize.py",
        ),
    ] {
        let world = World::new();
        world.write("project/toolgate.toml", &format!("[servers.s]\n{line}\n"));
        world.write(&format!("project/{file}"), "one");
        world.run_at_terminal(&["trust"], "y\n").ok();
        assert!(!standing(&world).contains("pending"), "{line}");
        world.write(&format!("project/{file}"), "two");
        assert!(standing(&world).contains("pending"), "{line}");
    }
}
