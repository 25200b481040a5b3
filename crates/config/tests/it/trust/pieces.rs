//! Files of the project that a command line names without being a word of it.

use super::fingerprint;
use crate::support::{World, project_toml};

/// A server with these keys, in a project with these files.
fn server(keys: &str, files: &[(&str, &str)]) -> World {
    let world = project_toml(&format!("[servers.s]\n{keys}\n"));
    files.iter().fold(world, |world, (path, text)| world.file(path, text))
}

fn names(world: &World) -> Vec<String> {
    fingerprint(world).files.into_keys().collect()
}

/// That exactly these files count, and each of them.
#[track_caller]
fn counts(keys: &str, files: &[(&str, &str)], expected: &[&str]) {
    let mut world = server(keys, files);
    assert_eq!(names(&world), expected, "{keys}");
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("not.js")) {
        let before = fingerprint(&world);
        world = world.file(path, format!("{text} "));
        assert_ne!(fingerprint(&world), before, "{keys}: {path}");
    }
}

#[test]
fn a_script_for_a_shell_is_accepted_with_the_files_that_it_names() {
    for script in [
        "./a.sh --fast | tee log",
        "exec ./a.sh",
        "X=1;./a.sh&",
        "sh<./a.sh",
        "$(./a.sh)",
        "$PWD/a.sh",
        "${PWD}/./a.sh",
        "\\\"./a.sh\\\"",
    ] {
        let script = script.replace("${", "$${");
        let world = server(&format!("command = \"sh\"\nargs = [\"-c\", \"{script}\"]"), &[]);
        assert!(names(&world).is_empty(), "{script}");
        let world = world.file("a.sh", "one");
        let before = fingerprint(&world);
        assert_eq!(before.files.len(), 1, "{script}");
        assert_ne!(fingerprint(&world.file("a.sh", "two")), before, "{script}");
    }
    let keys = "command = \"bash\"\nargs = [\"-lc\", \"cd sub && cd in; exec ./a.sh ../b.txt\"]";
    counts(keys, &[("sub/in/a.sh", ""), ("sub/b.txt", "")], &["sub/in/../b.txt", "sub/in/./a.sh"]);
}

#[test]
fn a_folder_that_is_run_is_accepted_with_the_files_that_it_begins_with() {
    let manifest = r#"{"main":"lib/start"}"#;
    let files = [("package.json", manifest), ("lib/start.js", ""), ("lib/not.js", "")];
    counts("command = \"node\"\nargs = [\".\"]", &files, &["./lib/start.js", "./package.json"]);
    counts("command = \"node\"\nargs = [\"app\"]", &[("app/index.js", "")], &["app/index.js"]);
    counts(
        "command = \"node\"\nargs = [\"app\"]",
        &[("app.js", ""), ("app/not.js", "")],
        &["app.js"],
    );
    counts(
        "command = \"python3\"\nargs = [\"app\"]",
        &[("app/__main__.py", "")],
        &["app/**", "app/__main__.py"],
    );
    let into = "command = \"uv\"\nargs = [\"--directory\", \"sub\", \"run\", \"main.py\"]";
    counts(into, &[("sub/main.py", "")], &["sub/main.py"]);
    // To another program a folder is what it works on.
    let other = server("command = \"npx\"\nargs = [\"-y\", \"files\", \".\"]", &files);
    assert!(names(&other).is_empty());
}

#[test]
fn a_python_module_of_the_project_counts_and_one_that_appears_later_does_too() {
    let keys = "command = \"python3\"\nargs = [\"-m\", \"tools.serve\"]";
    let files = [("tools/__init__.py", ""), ("tools/serve.py", "")];
    counts(keys, &files, &["tools/**", "tools/__init__.py", "tools/serve.py"]);
    let world = server(keys, &[]);
    let before = fingerprint(&world);
    assert_ne!(fingerprint(&world.file("tools/serve/__main__.py", "")), before);
}

#[test]
fn options_with_a_value_behind_them_name_files_as_well() {
    for word in ["-r./hook.js", "--require=./hook.js", "@hook.js", "file:hook.js", "a.js:hook.js"] {
        let world = server(&format!("command = \"x\"\nargs = [\"{word}\"]"), &[("hook.js", "")]);
        assert_eq!(names(&world).len(), 1, "{word}");
    }
}

#[test]
fn variables_that_load_code_name_files_and_others_do_not() {
    let files = [("hook.js", "")];
    let keys = "command = \"node\"\nenv = { NODE_OPTIONS = \"--require ./hook.js\" }";
    counts(keys, &files, &["./hook.js"]);
    counts("command = \"x\"\nenv = { LD_PRELOAD = \"./hook.js\" }", &files, &["./hook.js"]);
    // A log file changes by itself, and nobody is asked about that.
    let other = server("command = \"node\"\nenv = { LOG_FILE = \"./hook.js\" }", &files);
    assert!(names(&other).is_empty());
}

#[test]
fn a_bare_command_that_the_entrys_own_path_finds_in_the_project_counts() {
    let keys = "command = \"run\"\nenv = { PATH = \"${PWD}/bin:/usr/bin:more\" }";
    let world = server(keys, &[("bin/run", ""), ("more/run", "")]);
    let here = world.project().display().to_string();
    let world = world.env("PWD", here);
    // What runs looks for its own commands there, and a shell in relative folders too.
    assert_eq!(names(&world), ["bin/run", "more/run"]);
    let before = fingerprint(&world);
    assert_ne!(fingerprint(&world.file("bin/run", "two")), before);
}

#[test]
fn a_file_of_authorities_is_part_of_what_is_accepted() {
    let keys = "url = \"https://example.com/mcp\"\nca_file = \"ca.pem\"";
    counts(keys, &[("ca.pem", "one")], &["ca.pem"]);
}
