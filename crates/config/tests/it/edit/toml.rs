//! TOML with headers: comments, order, line endings, new tables.

use serde_json::json;
use toolgate_config::tree::ConfigFormat::Toml;

use super::{edit, remove, set};

const COMMENTED: &str = r#"# Toolgate of the team

version   =  1  # keep the odd spacing

# --- servers ---

# about a
[servers.a] # the first
command = 'npx'   # literal
# cwd = "/tmp"

# about b
# in two lines
[servers.b]
url = "https://example.com/mcp"

[policy]
deny_tools = [
  "*delete*", # never
]
"#;

#[test]
fn a_value_is_replaced_where_it_stands() {
    let new = set(Toml, COMMENTED, &["servers", "a", "command"], &json!("uvx"));
    assert_eq!(new, COMMENTED.replace("'npx'", "\"uvx\""));
}

#[test]
fn a_new_key_goes_below_the_last_one_of_its_table() {
    let new = set(Toml, COMMENTED, &["servers", "b", "enabled"], &json!(false));
    let line = "url = \"https://example.com/mcp\"\n";
    assert_eq!(new, COMMENTED.replace(line, &format!("{line}enabled = false\n")));
}

#[test]
fn a_new_server_goes_after_the_other_servers() {
    let server = json!({ "command": "npx", "args": ["-y", "x"], "env": { "TOKEN": "${T}" } });
    let new = set(Toml, COMMENTED, &["servers", "c"], &server);
    let section =
        "[servers.c]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\nenv = { TOKEN = \"${T}\" }";
    assert_eq!(new, COMMENTED.replace("[policy]", &format!("{section}\n\n[policy]")));
}

#[test]
fn a_removed_server_takes_its_own_comments_and_no_others() {
    let new = remove(Toml, COMMENTED, &["servers", "a"]);
    let gone =
        "# about a\n[servers.a] # the first\ncommand = 'npx'   # literal\n# cwd = \"/tmp\"\n\n";
    assert_eq!(new, COMMENTED.replace(gone, ""));
    let new = remove(Toml, &new, &["servers", "b"]);
    assert!(new.contains("# --- servers ---\n\n[policy]"), "{new}");
}

#[test]
fn a_replaced_server_keeps_its_place_and_the_comments_around_it() {
    let text = "# about a\n[servers.a] # first\ncommand = \"x\"\n# inner\nargs = []\n\n\
                [servers.a.env]\nK = \"v\"\n\n# about b\n[servers.b]\nurl = \"u\"\n";
    let new = set(Toml, text, &["servers", "a"], &json!({ "url": "y", "enabled": true }));
    assert_eq!(
        new,
        "# about a\n[servers.a] # first\nurl = \"y\"\nenabled = true\n\n\
         # about b\n[servers.b]\nurl = \"u\"\n"
    );
}

#[test]
fn an_equal_value_changes_nothing() {
    let text = "[servers.a]\ncommand = 'x' # odd\nargs = [ ]\n";
    let same = json!({ "args": [], "command": "x" });
    assert_eq!(set(Toml, text, &["servers", "a"], &same), text);
}

#[test]
fn a_blank_text_becomes_a_document_with_a_last_newline() {
    for blank in ["", "\n", "  \n\n"] {
        let new = set(Toml, blank, &["servers", "a"], &json!({ "command": "x" }));
        assert_eq!(new, "[servers.a]\ncommand = \"x\"\n", "{blank:?}");
    }
    let new = edit(Toml, "", |editor| {
        editor.set(&["version"], &json!(1))?;
        editor.set(&["servers", "a"], &json!({ "command": "x" }))
    });
    assert_eq!(new, "version = 1\n\n[servers.a]\ncommand = \"x\"\n");
    assert_eq!(edit(Toml, "  \n", |_| Ok(())), "  \n");
}

#[test]
fn line_endings_byte_order_mark_and_last_newline_stay() {
    let text = "\u{feff}# c\r\n[servers.a]\r\ncommand = \"x\"";
    let new = edit(Toml, text, |editor| {
        editor.set(&["servers", "a", "enabled"], &json!(false))?;
        editor.set(&["servers", "b"], &json!({ "command": "two\nlines" }))?;
        editor.set(&["version"], &json!(1))
    });
    assert_eq!(
        new,
        "\u{feff}version = 1\r\n\r\n# c\r\n[servers.a]\r\ncommand = \"x\"\r\nenabled = false\r\n\r\n\
         [servers.b]\r\ncommand = \"two\\nlines\""
    );
    let back = edit(Toml, &new, |editor| {
        editor.remove(&["servers", "b"])?;
        editor.remove(&["servers", "a", "enabled"])?;
        editor.remove(&["version"]).map(drop)
    });
    assert_eq!(back, text);
    let dotted = "s.a.x = 1\ns.a.y = 2\ns.a.z = 3";
    assert_eq!(set(Toml, dotted, &["s", "a"], &json!({ "x": 4 })), "s.a.x = 4");
    assert_eq!(set(Toml, "[[x]]", &["x"], &json!({ "a": 1 })), "[x]\na = 1");
}

#[test]
fn a_file_with_both_line_endings_keeps_each() {
    let text = "a = 1\r\nb = 2\nc = \"\"\"\nx\r\n# no comment\"\"\"\nd = 4\n";
    assert_eq!(set(Toml, text, &["b"], &json!(3)), text.replace("b = 2", "b = 3"));
    assert_eq!(remove(Toml, text, &["d"]), text.replace("d = 4\n", ""));
}

#[test]
fn big_and_nested_maps_get_headers_and_small_ones_stay_on_the_line() {
    let value = json!({
        "command": "x",
        "small": { "A": 1, "B": 1.5, "C": true, "D": "d" },
        "none": {},
        "big": { "A": 1, "B": 2, "C": 3, "D": 4, "E": 5 },
        "deep": { "list": [{ "k": "v" }] },
    });
    assert_eq!(
        set(Toml, "", &["servers", "a"], &value),
        "[servers.a]\ncommand = \"x\"\nsmall = { A = 1, B = 1.5, C = true, D = \"d\" }\nnone = {}\n\n\
         [servers.a.big]\nA = 1\nB = 2\nC = 3\nD = 4\nE = 5\n\n\
         [servers.a.deep]\nlist = [{ k = \"v\" }]\n"
    );
    let servers = json!({ "a": { "command": "x" }, "b": {} });
    assert_eq!(
        set(Toml, "", &["servers"], &servers),
        "[servers.a]\ncommand = \"x\"\n\n[servers.b]\n"
    );
}

#[test]
fn a_header_that_was_written_stays_and_one_that_was_not_is_not_left_behind() {
    assert_eq!(remove(Toml, "[servers]\n\n[servers.a]\nx = 1\n", &["servers", "a"]), "[servers]\n");
    assert_eq!(remove(Toml, "[servers.a]\nx = 1\n\n[p]\n", &["servers", "a"]), "[p]\n");
    assert_eq!(remove(Toml, "[servers.a]\nx = 1\n", &["servers", "a"]), "");
    let nested = "v = 1\n\n[s.a]\nx = 1\n\n[s.b]\n\n[s.a.env]\nk = 1\n[s.a.more]\n";
    assert_eq!(remove(Toml, nested, &["s", "a"]), "v = 1\n\n[s.b]\n");
}

#[test]
fn comments_below_a_table_stay_below_it_when_another_is_added() {
    let text = "[servers.a]\nx = 1\n# y = 2\n\n# the end\n";
    let new = set(Toml, text, &["servers", "b"], &json!({ "x": 1 }));
    assert_eq!(new, "[servers.a]\nx = 1\n# y = 2\n\n[servers.b]\nx = 1\n\n# the end\n");
    let crowded = "[s.a]\nx = 1\n# about p\n[p]\n";
    let new = set(Toml, crowded, &["s", "b"], &json!({ "x": 1 }));
    assert_eq!(new, "[s.a]\nx = 1\n\n[s.b]\nx = 1\n\n# about p\n[p]\n");
}

#[test]
fn keys_are_quoted_when_they_must_be() {
    let value = json!({ "quote\"back\\": "é\u{7f}" });
    let new = set(Toml, "", &["servers", "a.b c"], &value);
    assert_eq!(new, "[servers.\"a.b c\"]\n\"quote\\\"back\\\\\" = \"é\\u007F\"\n");
    let new = set(Toml, &new, &["servers", "a.b c", "ключ"], &json!("x"));
    assert!(new.ends_with("\n\"ключ\" = \"x\"\n"), "{new}");
    assert_eq!(remove(Toml, &new, &["servers", "a.b c"]), "");
}
