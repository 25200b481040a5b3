//! TOML without headers: inline tables and dotted keys stay what they are.

use serde_json::json;
use toolgate_config::tree::ConfigFormat::Toml;

use super::{edit, remove, set};

#[test]
fn an_inline_table_is_edited_on_its_line() {
    let text = "servers = { a = { command = 'x' }, b = {} } # all\nz = 1\n";
    let new = set(Toml, text, &["servers", "c"], &json!({ "command": "y", "args": ["-v"] }));
    let c = ", c = { command = \"y\", args = [\"-v\"] } }";
    assert_eq!(new, text.replace("b = {} }", &format!("b = {{}}{c}")));
    assert_eq!(
        set(Toml, text, &["servers", "b", "env", "K"], &json!("v")),
        text.replace("b = {}", "b = { env = { K = \"v\" } }")
    );
    assert_eq!(
        set(Toml, text, &["servers", "a", "command"], &json!("y")),
        text.replace("'x'", "\"y\"")
    );
    assert_eq!(remove(Toml, text, &["servers", "a"]), "servers = { b = {} } # all\nz = 1\n");
    assert_eq!(
        remove(Toml, text, &["servers", "b"]),
        "servers = { a = { command = 'x' } } # all\nz = 1\n"
    );
    assert_eq!(
        remove(Toml, text, &["servers", "a", "command"]),
        text.replace("{ command = 'x' }", "{}")
    );
}

#[test]
fn an_inline_table_over_several_lines_keeps_its_lines() {
    let text = "servers = {\n  a = { x = 1 }, # about a\n\n  # about b\n  b = { x = 1 },\n}\n";
    assert_eq!(
        set(Toml, text, &["servers", "c"], &json!({ "x": 2 })),
        text.replace("  b = { x = 1 },\n", "  b = { x = 1 },\n  c = { x = 2 },\n")
    );
    assert_eq!(
        remove(Toml, text, &["servers", "b"]),
        "servers = {\n  a = { x = 1 }, # about a\n}\n"
    );
}

#[test]
fn dotted_keys_inside_an_inline_table_are_understood() {
    let text = "servers = { a.x = 1, b.y = 2, a.z = 3 }\n";
    assert_eq!(remove(Toml, text, &["servers", "a"]), "servers = { b.y = 2 }\n");
    assert_eq!(
        set(Toml, text, &["servers", "b", "w"], &json!(4)),
        "servers = { a.x = 1, b.y = 2, a.z = 3, b.w = 4 }\n"
    );
    assert_eq!(
        set(Toml, text, &["servers", "a"], &json!({ "x": 9 })),
        "servers = { b.y = 2, a = { x = 9 } }\n"
    );
}

const DOTTED: &str = "version = 1\n# about a\nservers.a.command = \"x\"\nservers.a.args = []\n\
                      servers.b.url = \"u\"\n\n[policy]\ndeny = []\n";

#[test]
fn dotted_keys_stay_dotted() {
    let line = "servers.b.url = \"u\"\n";
    let with = |lines: &str| DOTTED.replace(line, &format!("{line}{lines}"));
    assert_eq!(
        set(Toml, DOTTED, &["servers", "c"], &json!({ "command": "y", "env": { "K": "v" } })),
        with("servers.c.command = \"y\"\nservers.c.env = { K = \"v\" }\n")
    );
    assert_eq!(
        set(Toml, DOTTED, &["servers", "b", "enabled"], &json!(false)),
        with("servers.b.enabled = false\n")
    );
    assert_eq!(
        set(Toml, DOTTED, &["servers", "b", "env"], &json!({ "K": "v" })),
        with("servers.b.env = { K = \"v\" }\n")
    );
    assert_eq!(set(Toml, DOTTED, &["servers", "c"], &json!({})), with("servers.c = {}\n"));
}

#[test]
fn dotted_tables_are_replaced_and_removed_with_all_their_lines() {
    assert_eq!(
        set(Toml, DOTTED, &["servers", "a"], &json!({ "url": "y", "enabled": true })),
        "version = 1\n# about a\nservers.a.url = \"y\"\nservers.a.enabled = true\n\
         servers.b.url = \"u\"\n\n[policy]\ndeny = []\n"
    );
    assert_eq!(
        remove(Toml, DOTTED, &["servers", "a"]),
        "version = 1\nservers.b.url = \"u\"\n\n[policy]\ndeny = []\n"
    );
}

#[test]
fn dotted_and_inline_entries_below_a_header_stay_there() {
    let text = "[servers]\n  a.command = \"x\"\n\n[policy]\n";
    assert_eq!(
        set(Toml, text, &["servers", "b"], &json!({ "command": "y" })),
        "[servers]\n  a.command = \"x\"\n  b.command = \"y\"\n\n[policy]\n"
    );
    let text = "[servers]\na = { command = \"x\" }\n\n[policy]\n";
    assert_eq!(
        set(Toml, text, &["servers", "b"], &json!({ "command": "y" })),
        "[servers]\na = { command = \"x\" }\nb = { command = \"y\" }\n\n[policy]\n"
    );
}

#[test]
fn a_table_known_only_by_what_is_below_it_gets_its_header_first() {
    let text = "# the file\n\n# variables\n[servers.a.env]\nK = \"v\"\n";
    assert_eq!(
        set(Toml, text, &["servers", "a", "command"], &json!("x")),
        "# the file\n\n[servers.a]\ncommand = \"x\"\n\n# variables\n[servers.a.env]\nK = \"v\"\n"
    );
    assert_eq!(
        set(Toml, text, &["servers", "a"], &json!({ "command": "x" })),
        "# the file\n\n[servers.a]\ncommand = \"x\"\n"
    );
}

#[test]
fn a_list_of_tables_goes_as_a_whole() {
    let text = "[[x]]\na = 1\n\n[y]\n\n[[x]]\na = 2\n";
    assert_eq!(remove(Toml, text, &["x"]), "[y]\n");
    assert_eq!(set(Toml, text, &["x"], &json!(1)), "x = 1\n\n[y]\n");
    assert_eq!(set(Toml, text, &["x"], &json!({ "a": 1 })), "[y]\n\n[x]\na = 1\n");
    let nested = "[[x]]\n[[x.y]]\n[[x]]\n[z]\n";
    assert_eq!(remove(Toml, nested, &["x"]), "[z]\n");
}

#[test]
fn many_edits_of_one_text_add_up() {
    let new = edit(Toml, DOTTED, |editor| {
        editor.set(&["servers", "c"], &json!({ "url": "w" }))?;
        editor.set(&["policy", "deny"], &json!(["*"]))?;
        editor.remove(&["servers", "b"])?;
        editor.set(&["limits"], &json!({ "calls": 5 }))
    });
    assert_eq!(
        new,
        "version = 1\n# about a\nservers.a.command = \"x\"\nservers.a.args = []\n\
         servers.c.url = \"w\"\n\n[policy]\ndeny = [\"*\"]\n\n[limits]\ncalls = 5\n"
    );
}
