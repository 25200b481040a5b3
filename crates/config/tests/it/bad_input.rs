//! What is no configuration at all: too large, too deep, cut off, or not even a file. The rules that
//! a small file can break have their samples in `tests/config/invalid/`.

use toolgate_config::{Problem, Severity};

use crate::support::{Found, World, project_toml};

const MEGABYTE: usize = 1 << 20;

/// The one problem that a project file of this text has.
fn only_problem(name: &str, text: &str) -> Problem {
    let world = World::new().file(name, text).path(name);
    let loaded = world.load();
    assert_eq!(loaded.sources.len(), 0, "{name} was taken as a layer");
    assert_eq!(loaded.problems.len(), 1, "{}", world.render(&loaded.problems));
    let problem = loaded.problems[0].clone();
    assert!(problem.source.to_string().ends_with(name), "{problem}");
    problem
}

#[test]
fn ten_megabytes_of_nesting_are_too_large_a_file() {
    for (name, text) in [
        ("deep.json", "[".repeat(10 * MEGABYTE)),
        ("deep.json", "{\"a\":".repeat(2 * MEGABYTE)),
        ("deep.toml", format!("a = {}", "[".repeat(10 * MEGABYTE))),
    ] {
        let problem = only_problem(name, &text);
        assert_eq!((problem.rule, problem.line), ("too-large", 0));
        assert!(problem.help.unwrap().contains("4 MiB"));
    }
}

#[test]
fn nesting_below_the_largest_size_ends_at_the_depth_limit() {
    for (name, text) in [
        ("deep.json", "[".repeat(3 * MEGABYTE)),
        ("deep.json", format!("{}{}", "[".repeat(MEGABYTE), "]".repeat(MEGABYTE))),
        ("deep.json", "{\"a\":".repeat(MEGABYTE / 2)),
    ] {
        let problem = only_problem(name, &text);
        assert_eq!((problem.rule, problem.line), ("json-syntax", 1));
        assert!(problem.message.contains("nesting depth"), "{problem}");
    }
    for text in [
        format!("a = {}", "[".repeat(3 * MEGABYTE)),
        format!("a = {}{}", "[".repeat(MEGABYTE / 4), "]".repeat(MEGABYTE / 4)),
        format!("a = {}", "{a=".repeat(MEGABYTE / 4)),
        format!("{}a = 1", "a.".repeat(MEGABYTE / 4)),
        format!("[{}a]", "a.".repeat(MEGABYTE / 4)),
    ] {
        let world = World::new().file("deep.toml", &text).path("deep.toml");
        let loaded = world.load();
        assert_eq!(loaded.sources.len(), 0);
        assert!((1..=50).contains(&loaded.problems.len()), "{}", loaded.problems.len());
        assert!(loaded.problems.iter().all(|problem| problem.rule == "toml-syntax"));
        assert!(loaded.problems.iter().any(|problem| problem.message.contains("recurs")));
    }
}

#[test]
fn inline_tables_and_dotted_keys_cannot_nest_deeper_together_than_each_alone() {
    let keys = ["a"; 79].join(".");
    let deep = format!("{}b=1{}", format!("{keys}={{").repeat(70), "}".repeat(70));
    let problem = only_problem("deep.toml", &deep);
    assert_eq!(problem.rule, "toml-syntax");
    assert!(problem.message.contains("too deeply"), "{problem}");
}

/// Shows: S3-4.
#[test]
fn a_deep_input_schema_is_kept_as_it_is_written() {
    let deep = format!("{}1e2{}", "{\"b\":[".repeat(150), "],\"a\":1.0}".repeat(150));
    let text = format!("{{\"tools\":{{\"t\":{{\"command\":\"x\",\"input_schema\":{deep}}}}}}}");
    let loaded = World::new().file("toolgate.json", text).load_clean();
    assert_eq!(loaded.config.tools["t"].value.input_schema.as_deref(), Some(deep.as_str()));
}

#[test]
fn inline_json_of_ten_megabytes_is_an_error_of_its_variable_alone() {
    let world = project_toml("[servers.files]\ncommand = \"npx\"\n")
        .env("TOOLGATE_CONFIG_JSON", "[".repeat(10 * MEGABYTE));
    let loaded = world.load();
    assert_eq!(loaded.errors(), [("json-syntax", "")]);
    assert!(loaded.problems[0].to_string().starts_with("$TOOLGATE_CONFIG_JSON:1: "));
    assert_eq!(loaded.ids(), ["files"]);
}

#[test]
fn a_path_through_a_file_is_unreadable_and_says_why() {
    let world = project_toml("").path("toolgate.toml/inner.toml");
    let loaded = world.load();
    assert_eq!(loaded.errors(), [("unreadable", "")]);
    assert!(loaded.problems[0].help.is_some());
}

#[test]
fn a_global_file_that_cannot_be_read_is_reported_and_not_taken_for_absent() {
    let world = World::new().file("../.config/toolgate", "a file where a folder belongs");
    assert_eq!(world.load().errors(), [("unreadable", "")]);
}

#[test]
fn a_folder_is_no_file_and_no_other_file_is_searched_instead() {
    let world = project_toml("[servers.files]\ncommand = \"npx\"\n").file("folder/x", "");
    let loaded = world.path("folder").load();
    assert_eq!(loaded.errors(), [("not-a-file", "")]);
    assert_eq!(loaded.ids(), Vec::<&str>::new());
}

#[test]
fn a_file_that_is_all_mistakes_is_answered_with_some_of_them() {
    let keys: String = (0..100_000).map(|n| format!("k{n} = 1\n")).collect();
    let loaded = project_toml(&format!("[servers.files]\n{keys}")).load();
    assert_eq!(loaded.problems.len(), 50);
    let loaded = project_toml(&"= 1\n".repeat(100_000)).load();
    assert_eq!(loaded.problems.len(), 50);
}

#[test]
fn thousands_of_bad_entries_are_each_rejected() {
    let entries: String = (0..20_000).map(|n| format!("\"s{n}\":{{}},")).collect();
    let text = format!("{{\"servers\":{{{entries}\"good\":{{\"command\":\"npx\"}}}}}}");
    let loaded = World::new().file("toolgate.json", text).load();
    assert_eq!((loaded.rejected.len(), loaded.problems.len()), (20_000, 20_000));
    assert_eq!(loaded.ids(), ["good"]);
}

#[test]
fn tables_of_many_thousand_keys_are_read_in_one_go() {
    // Looking each key up among all others would take minutes here.
    let pairs = |value: &str| (0..20_000).map(|n| format!("K{n} = {value}\n")).collect::<String>();
    let world = project_toml(&format!(
        "[servers.p]\ncommand = \"x\"\n[servers.p.env]\n{}[servers.p.tools]\n{}\
         [servers.r]\nurl = \"https://example.com\"\n[servers.r.headers]\n{}[workflows.w.r]\n{}",
        pairs("\"v\""),
        pairs("{}"),
        pairs("\"v\""),
        pairs("[]"),
    ));
    let loaded = world.load_clean();
    assert_eq!(loaded.stdio("p").env.len(), 20_000);
    assert_eq!(loaded.server("p").tool_settings.len(), 20_000);
    assert_eq!(loaded.remote("r").headers.len(), 20_000);
}

#[test]
fn a_key_of_a_megabyte_is_an_unknown_key_like_any_other() {
    let text = format!("[servers.files]\ncommand = \"npx\"\n{} = 1\n", "k".repeat(MEGABYTE));
    let loaded = project_toml(&text).load();
    assert_eq!(loaded.problems.len(), 1);
    assert_eq!((loaded.problems[0].rule, loaded.problems[0].line), ("unknown-key", 3));
}

#[test]
fn lines_are_right_behind_a_byte_order_mark_and_with_windows_line_ends() {
    let text = "\u{feff}[servers.files]\r\ncommand = \"npx\"\r\n\r\nenabld = true\r\n";
    let loaded = project_toml(text).load();
    assert_eq!(loaded.problems[0].line, 4);
    assert_eq!(loaded.errors(), [("unknown-key", "servers.files.enabld")]);
}

/// Shows: S0-16.
#[test]
fn every_broken_source_is_named_in_its_own_problem() {
    let world = World::new()
        .global("[servers")
        .file("codex-toolloop.mcp.json", "{ \"servers\": {")
        .env("CODEX_TOOLLOOP_MCP_CONFIG_JSON", "{\"servers\":")
        .overrides(serde_json::json!({ "servers": { "good": { "command": "npx" } } }));
    let loaded = world.load();
    assert!(loaded.problems.iter().all(|problem| problem.severity == Severity::Error));
    let shown = world.render(&loaded.problems);
    let places: Vec<&str> = shown.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        [
            "~world/home/.config/toolgate/config.toml:1",
            "~world/home/project/codex-toolloop.mcp.json:1",
            "$CODEX_TOOLLOOP_MCP_CONFIG_JSON:1",
        ]
    );
    assert_eq!(loaded.ids(), ["good"]);
}

/// A lock says what tools are; one that says nothing is not taken for none.
#[test]
fn a_lock_that_cannot_be_understood_is_reported_and_locks_everything() {
    let world = World::new().file("toolgate.lock", "version = 1\naccepted = true\n");
    let loaded = world.load();
    assert_eq!(loaded.errors(), [("bad-lock", "")]);
    assert_eq!(loaded.config.lock, toolgate_types::ProjectLock::Unreadable);
    assert_eq!(World::new().load().config.lock, toolgate_types::ProjectLock::Absent);
}
