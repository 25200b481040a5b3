//! What a command line runs is part of what a person accepts, however it is spelled.

use std::fs;

use toolgate_types::config::SecondLook as _;

use super::fingerprint;
use crate::support::{Found as _, World, project_toml};

/// A server with these keys, in a project with these files.
fn server(keys: &str, files: &[(&str, &str)]) -> World {
    let world = project_toml(&format!("[servers.s]\n{keys}\n"));
    files.iter().fold(world, |world, (path, text)| world.file(path, text))
}

/// That each of these files counts: changed or taken away, it is another fingerprint, and a second
/// look before the start sees it as well.
#[track_caller]
fn each_counts(keys: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        let world = server(keys, files);
        let loaded = world.load_clean();
        let before = fingerprint(&world);
        let named = loaded.named_files(world.options());
        world.write(path, format!("{text}#"));
        assert_ne!(fingerprint(&world), before, "{keys}: {path} was changed");
        assert!(named.changed(loaded.entry("s")).is_some(), "{keys}: {path}");
        world.write(path, text);
        assert_eq!(fingerprint(&world), before, "{keys}: {path} is as it was");
        fs::remove_file(world.project().join(path)).unwrap();
        assert_ne!(fingerprint(&world), before, "{keys}: {path} was taken away");
    }
}

/// That a file which appears later counts.
#[track_caller]
fn a_new_one_counts(keys: &str, files: &[(&str, &str)], new: &str) {
    let world = server(keys, files);
    let before = fingerprint(&world);
    world.write(new, "new");
    assert_ne!(fingerprint(&world), before, "{keys}: {new} appeared");
}

fn args(command: &str, args: &[&str]) -> String {
    let args: Vec<String> = args.iter().map(|arg| format!("'''{arg}'''")).collect();
    format!("command = \"{command}\"\nargs = [{}]", args.join(", "))
}

#[test]
fn a_file_counts_however_a_shell_spells_it() {
    let file = [("my run.sh", "echo")];
    for script in [
        "exec './my run.sh'",
        "exec \"./my run.sh\"",
        "exec ./my\\ run.sh",
        "exec $'./my\\x20run.sh'",
        "cd . && exec './my 'run.sh",
        "true; sh -c \"exec './my run.sh'\"",
        "env -S \"'./my run.sh'\"",
        "cat <<'E'\nit's\nE\n. './my run.sh'",
        "echo $(cat < './my run.sh')",
        "eval \"exec './my run.sh'\"",
        "a=1 exec ./'my run'.sh | cat",
        "\"$PWD/my run.sh\"",
    ] {
        let script = script.replace("${", "$${");
        for shell in [args("sh", &["-c", &script]), args("/bin/bash", &["-l", "-c", &script])] {
            each_counts(&shell, &file);
        }
        each_counts(&args("bash", &["-lc", &script]), &file);
        each_counts(&args("env", &["FOO=1", "nice", "sh", "-ec", &script]), &file);
    }
    each_counts(&args("sh", &["-c", "exec ./run@1.sh"]), &[("run@1.sh", "")]);
    each_counts(&args("env", &["-S", "sh './a b'"]), &[("a b", "")]);
    each_counts(&args("env", &["-Ssh './a b'"]), &[("a b", "")]);
    each_counts(
        &args("sh", &["-c", "(cd a; cd b; true); (cd 'c d'; exec './e f')"]),
        &[("a/b/x", ""), ("c d/e f", "")][1..],
    );
}

#[test]
fn a_script_in_a_folder_with_a_space_is_found_behind_cd() {
    each_counts(&args("sh", &["-c", "cd 'c d' && exec './e f'"]), &[("c d/e f", "")]);
    each_counts(&args("make", &["-C", "c d"]), &[("c d/Makefile", "")]);
    let keys = format!("{}\ncwd = \"c d\"", args("python3", &["-mserver"]));
    each_counts(&keys, &[("c d/server.py", "")]);
}

#[test]
fn a_module_of_python_counts_with_what_it_imports() {
    for spelled in
        [&["-m", "server"][..], &["-mserver"], &["-umserver"], &["-Wignore", "-m", "server"]]
    {
        each_counts(&args("python3", spelled), &[("server.py", "x = 1")]);
        each_counts(
            &args("python3", spelled),
            &[("server/__init__.py", ""), ("server/__main__.py", ""), ("server/deep/x.py", "")],
        );
        a_new_one_counts(&args("python3", spelled), &[("server.py", "")], "server/__init__.py");
        a_new_one_counts(&args("python3", spelled), &[("server.py", "")], "server.abi3.so");
    }
    let files = [
        ("server.py", "import near\nfrom pkg import part, other\nimport json\n"),
        ("near.py", "def f():\n    from . import x\n    import far\n"),
        ("far.py", ""),
        ("pkg/__init__.py", ""),
        ("pkg/part.py", "from .inner import (a,\n b)\n"),
        ("pkg/inner.py", ""),
    ];
    each_counts(&args("python3", &["-m", "server"]), &files);
    each_counts(&args("python3", &["server.py"]), &files);
    each_counts(&args("python3", &["-c", "import server"]), &files);
    each_counts(&args("uv", &["run", "server.py"]), &files);
    each_counts(&args("sh", &["-c", "exec env X=1 python3 -mserver"]), &files);
    // What it would find first from now on.
    a_new_one_counts(&args("python3", &["-m", "server"]), &files, "json.py");
    each_counts(&args("uvicorn", &["server:app"]), &files);
}

#[test]
fn where_python_searches_counts() {
    let module = [("src/server.py", ""), ("src/sitecustomize.py", ""), ("src/json.py", "")];
    let keys = format!("{}\nenv = {{ PYTHONPATH = \"src\" }}", args("python3", &["-m", "server"]));
    each_counts(&keys, &module);
    a_new_one_counts(&keys, &module[..1], "src/sitecustomize.py");
    a_new_one_counts(&keys, &module[..1], "src/usercustomize/__init__.py");
    // Whoever starts it, and with whatever script.
    let by_script = args("sh", &["-c", "PYTHONPATH=src exec python3 -m server"]);
    each_counts(&by_script, &module);
    let exported = args("sh", &["-c", "export PYTHONPATH=/nowhere:src; python3 -m server"]);
    each_counts(&exported, &module);
    let keys = "command = \"some-server\"\nenv = { PYTHONPATH = \"/nowhere:./src\" }";
    each_counts(keys, &module);
}

#[test]
fn what_node_loads_counts() {
    let files = [
        ("server.js", "import a from './lib/a.js'; const b = require('./lib')"),
        ("lib/a.js", "export { c } from '../c'"),
        ("lib/index.js", ""),
        ("c.ts", ""),
    ];
    each_counts(&args("node", &["server.js"]), &files);
    each_counts(&args("npx", &["tsx", "./server"]), &files[..1]);
    let hook = [("hook.mjs", "")];
    for keys in [
        args("node", &["--import=./hook.mjs", "x"]),
        args("node", &["--import", "./hook.mjs", "x"]),
        args("node", &["-r./hook.mjs"]),
        "command = \"node\"\nenv = { NODE_OPTIONS = \"--require './hook.mjs'\" }".to_owned(),
    ] {
        each_counts(&keys, &hook);
    }
    let package =
        [("node_modules/hook/package.json", "{\"main\":\"m\"}"), ("node_modules/hook/m.js", "")];
    each_counts(&args("node", &["--require", "hook", "x.js"]), &package);
    let keys = "command = \"node\"\nargs = [\"-r\", \"hook\"]\nenv = { NODE_PATH = \"mods\" }";
    each_counts(keys, &[("mods/hook.js", "")]);
}

#[test]
fn the_scripts_of_a_manifest_count_with_what_they_run() {
    let manifest =
        r#"{"scripts":{"start":"node './my server.js'","prestart":"tool x","other":"./not.js"}}"#;
    let files = [("package.json", manifest), ("my server.js", ""), ("node_modules/.bin/tool", "")];
    for keys in [
        args("npm", &["start"]),
        args("npm", &["run", "--silent", "start"]),
        args("pnpm", &["start"]),
        args("yarn", &["run", "start"]),
        args("sh", &["-c", "exec npm run start"]),
    ] {
        each_counts(&keys, &files);
    }
    let files = [("app/package.json", r#"{"scripts":{"start":"./go.sh"}}"#), ("app/go.sh", "")];
    each_counts(&args("npm", &["--prefix", "app", "start"]), &files);
    // The package's own program goes before one of the registry.
    let own = [("package.json", r#"{"name":"@x/files","bin":"go.js"}"#), ("go.js", "")];
    each_counts(&args("npx", &["-y", "@x/files", "."]), &own);
    let files = [
        ("pyproject.toml", "[project.scripts]\nserve = \"pkg.cli:main\"\n"),
        ("src/pkg/__init__.py", ""),
        ("src/pkg/cli.py", ""),
    ];
    each_counts(&args("uv", &["run", "serve"]), &files);
    each_counts(&args("poetry", &["run", "serve"]), &files);
}

#[test]
fn variables_that_run_something_count() {
    let file = [("my hook.sh", "")];
    for variable in ["GIT_SSH_COMMAND", "PAGER", "EDITOR", "GIT_EXTERNAL_DIFF"] {
        let keys = format!("command = \"git\"\nenv = {{ {variable} = \"sh './my hook.sh' x\" }}");
        each_counts(&keys, &file);
    }
    for variable in ["BASH_ENV", "ENV", "PYTHONSTARTUP", "LD_PRELOAD", "RUBYOPT"] {
        let keys = format!("command = \"x\"\nenv = {{ {variable} = \"./hook\" }}");
        each_counts(&keys, &[("hook", "")]);
    }
    for variable in ["RUBYLIB", "PERL5LIB", "LD_LIBRARY_PATH", "GIT_EXEC_PATH"] {
        let keys = format!("command = \"x\"\nenv = {{ {variable} = \"lib\" }}");
        each_counts(&keys, &[("lib/a/b.rb", "")]);
        a_new_one_counts(&keys, &[("lib/a/b.rb", "")], "lib/c.pm");
    }
    let path =
        "command = \"sh\"\nargs = [\"-c\", \"exec tool\"]\nenv = { PATH = \"bin:/usr/bin\" }";
    each_counts(path, &[("bin/tool", ""), ("bin/other", "")]);
}

#[test]
fn a_script_that_is_run_by_itself_counts_with_what_its_first_line_says() {
    let files = [("run", "#!/usr/bin/env python3\nimport near\n"), ("near.py", "")];
    each_counts(&args("./run", &[]), &files);
    each_counts(&args("sh", &["-c", "exec ./run"]), &files);
}

#[test]
fn another_content_counts_though_the_time_of_modification_is_set_back() {
    let world = server("command = \"./a.sh\"", &[("a.sh", "one")]);
    let before = fingerprint(&world);
    let path = world.project().join("a.sh");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "two").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_ne!(fingerprint(&world), before);
}

#[test]
fn one_file_has_one_name_however_often_it_is_named() {
    let spelled: Vec<String> = (0..20).map(|dots| format!("{}a.js", "./".repeat(dots))).collect();
    let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
    let world = server(&args("x", &spelled), &[("a.js", "")]);
    assert_eq!(fingerprint(&world).files.len(), 1);
}
