//! Where something that runs cannot be watched, a sentence says so; where everything can, none does.

use toolgate_types::EntryKind;

use crate::support::{World, project_toml};

fn sentences(world: &World) -> Vec<String> {
    world.load_clean().unwatched(EntryKind::Server, "s").to_vec()
}

fn server(command: &str, args: &[&str]) -> World {
    let args: Vec<String> = args.iter().map(|arg| format!("'''{arg}'''")).collect();
    project_toml(&format!("[servers.s]\ncommand = \"{command}\"\nargs = [{}]\n", args.join(", ")))
}

/// Without walls, where the command is what runs.
fn unwalled(command: &str, args: &[&str]) -> World {
    let args: Vec<String> = args.iter().map(|arg| format!("'''{arg}'''")).collect();
    let args = args.join(", ");
    project_toml(&format!(
        "[servers.s]\ncommand = \"{command}\"\nargs = [{args}]\nsandbox_profile = \"none\"\n"
    ))
}

#[track_caller]
fn says(world: &World, words: &str) {
    let said = sentences(world);
    assert!(said.iter().any(|sentence| sentence.contains(words)), "{words}: {said:?}");
}

#[test]
fn what_can_be_watched_whole_is_not_talked_about() {
    for world in [
        server("node", &["server.js"]).file("server.js", "require('./a')"),
        server("python3", &["-m", "server"]).file("server.py", "import os"),
        server("sh", &["-c", "exec node 'a b.js' --port 1"]),
        server("sh", &["-c", "cd \"$PWD\" && echo $HOME && exec ./server"]),
        unwalled("npx", &["-y", "@scope/server@1.2.3"]),
        // Behind walls its packages are fixed when they are fetched.
        server("npx", &["-y", "server@latest"]),
        server("uvx", &["server==1.2.3", "--path", "."]),
        server("docker", &["run", "-i", "image@sha256:abc"]),
        server("some-server", &["npx", "foo", "make", "sh", "-c", "$X"]),
    ] {
        assert_eq!(sentences(&world), [""; 0]);
    }
}

#[test]
fn what_cannot_be_watched_is_said() {
    for runner in ["npx", "bunx", "uvx"] {
        says(&unwalled(runner, &["-y", "server@latest"]), "whichever version of `server@latest`");
        says(&server("env", &["A=1", runner, "server"]), "whichever version of `server` there is");
    }
    says(&unwalled("npm", &["exec", "server"]), "whichever version of `server`");
    says(&unwalled("uv", &["tool", "run", "server"]), "whichever version of `server`");
    says(&server("pipx", &["run", "server"]), "whichever version of `server`");
    says(&server("sh", &["-c", "exec npx server"]), "whichever version of `server`");
    for script in ["$RUN", "exec \"$DIR/run.sh\"", "`find`", "./*.sh", "eval \"$(cat x)\"", "'open"]
    {
        says(&server("sh", &["-c", script]), "variables, patterns or other commands");
        says(&server("bash", &["-lc", script]), "variables, patterns or other commands");
        says(&server("nice", &["sh", "-c", script]), "variables, patterns or other commands");
    }
    says(&server("cargo", &["run"]), "`cargo` finds out by itself");
    says(&server("make", &["serve"]), "`make` finds out by itself");
    says(&server("go", &["run", "."]), "`go` finds out by itself");
    says(&server("docker", &["run", "-i", "image"]), "may be another one each time");
    says(&server("docker", &["run", "-v", ".:/a", "i@sha256:a"]), "from a mounted folder");
    says(&server("sh", &["run.sh"]).file("run.sh", ""), "what `run.sh` itself loads or starts");
    says(&server("./run.sh", &[]).file("run.sh", "#!/bin/sh\n"), "what `run.sh` itself");
    says(&server("ruby", &["a.rb"]).file("a.rb", ""), "what `a.rb` itself loads or starts");
    says(&server("deno", &["run", "https://example.com/x.ts"]), "fetched from `https://");
    let dynamic = server("python3", &["a.py"]).file("a.py", "import importlib");
    says(&dynamic, "`a.py` loads code by names that are made at run time");
    let dynamic = server("node", &["a.js"]).file("a.js", "require(name)");
    says(&dynamic, "`a.js` loads code by names that are made at run time");
    let installed = server("node", &["a.js"]).file("a.js", "").file("node_modules/x/y", "");
    says(&installed, "installed in `node_modules`");
}

#[test]
fn a_folder_that_holds_too_much_is_said_and_what_is_named_still_counts() {
    let mut world = project_toml(
        "[servers.s]\ncommand = \"python3\"\nargs = [\"-m\", \"server\"]\nenv = { PYTHONPATH = \"src\" }\n",
    );
    for number in 0..1001 {
        world = world.file(&format!("src/pkg/m{number}.py"), "");
    }
    let world = world.file("src/server.py", "one").file("src/sitecustomize.py", "one");
    says(&world, "`PYTHONPATH` names the folder `src/`");
    for file in ["src/server.py", "src/sitecustomize.py"] {
        let before = super::fingerprint(&world);
        world.write(file, "two");
        assert_ne!(super::fingerprint(&world), before, "{file}");
    }
}

#[test]
fn a_folder_that_programs_write_into_is_said_and_not_asked_about_each_time() {
    let world = project_toml("[servers.s]\ncommand = \"x\"\nenv = { HOME = \".state\" }\n");
    let world = world.file(".state/cache", "one");
    says(&world, "`HOME` lies in the project");
    let before = super::fingerprint(&world);
    world.write(".state/cache", "two");
    assert_eq!(super::fingerprint(&world), before);
}

#[test]
fn a_secret_is_in_no_sentence() {
    let world = project_toml("[servers.s]\ncommand = \"npx\"\nargs = [\"${TOKEN}\"]\n");
    let world = world.env("TOKEN", "canary-of-a-secret");
    let said = sentences(&world);
    assert!(said.len() == 1 && !said[0].contains("canary"), "{said:?}");
}
