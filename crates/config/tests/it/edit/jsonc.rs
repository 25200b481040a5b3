//! JSON with comments: comments, order, commas, indentation, line endings.

use serde_json::json;
use toolgate_config::tree::ConfigFormat::Json;

use super::{edit, remove, set};

const COMMENTED: &str = r#"// Toolgate of the team
{
    /* odd   spacing */ "version" : 1,

    "servers": { // all of them

        // about a
        "a": {"command": "npx",  "args": [ ]}, // the first

        // --- remote ---

        // about b
        // in two lines
        "b": {
            "url": "https://example.com/mcp" // no comma
        } /* last */
        // "old": {}
    }
}
"#;

#[test]
fn a_value_is_replaced_where_it_stands() {
    let new = set(Json, COMMENTED, &["servers", "a", "command"], &json!("uvx"));
    assert_eq!(new, COMMENTED.replace("npx", "uvx"));
}

#[test]
fn a_new_server_goes_after_the_last_one_and_before_its_loose_comments() {
    let server = json!({ "command": "x", "args": ["-y"], "env": {}, "list": [{ "k": null }] });
    let new = set(Json, COMMENTED, &["servers", "c"], &server);
    let entry = r#"}, /* last */
        "c": {
            "command": "x",
            "args": ["-y"],
            "env": {},
            "list": [
                {
                    "k": null
                }
            ]
        }
"#;
    assert_eq!(new, COMMENTED.replace("} /* last */\n", entry));
}

#[test]
fn a_new_key_goes_behind_the_comment_of_the_last_one() {
    let new = set(Json, COMMENTED, &["servers", "b", "enabled"], &json!(false));
    let (old, after) =
        ("mcp\" // no comma\n", "mcp\", // no comma\n            \"enabled\": false\n");
    assert_eq!(new, COMMENTED.replace(old, after));
    let new = set(Json, COMMENTED, &["servers", "a", "enabled"], &json!(false));
    assert_eq!(new, COMMENTED.replace("[ ]}", "[ ], \"enabled\": false}"));
}

#[test]
fn a_removed_server_takes_its_own_comments_and_no_others() {
    let new = remove(Json, COMMENTED, &["servers", "a"]);
    let gone = "        // about a\n        \"a\": {\"command\": \"npx\",  \"args\": [ ]}, // the first\n\n";
    assert_eq!(new, COMMENTED.replace(gone, ""));
    let new = remove(Json, COMMENTED, &["servers", "b"]);
    assert!(
        new.contains("[ ]} // the first\n\n        // --- remote ---\n        // \"old\""),
        "{new}"
    );
}

#[test]
fn an_equal_value_changes_nothing_and_a_nearly_equal_number_does() {
    let text = r#"{"n": 9007199254740993, "f": 1.0}"#;
    assert_eq!(set(Json, text, &["f"], &json!(1.0)), text);
    let new = set(Json, text, &["n"], &json!(9_007_199_254_740_992_u64));
    assert_eq!(new, text.replace("993", "992"));
    let same = json!({ "args": [], "command": "npx" });
    assert_eq!(set(Json, COMMENTED, &["servers", "a"], &same), COMMENTED);
}

#[test]
fn trailing_commas_tabs_and_windows_line_endings_stay() {
    let text = "\u{feff}{\r\n\t\"servers\": {\r\n\t\t\"a\": {},\r\n\t},\r\n}";
    let new = set(Json, text, &["servers", "b"], &json!({ "url": "u" }));
    assert_eq!(
        new,
        "\u{feff}{\r\n\t\"servers\": {\r\n\t\t\"a\": {},\r\n\t\t\"b\": {\r\n\t\t\t\"url\": \"u\",\r\n\
         \t\t},\r\n\t},\r\n}"
    );
    assert_eq!(remove(Json, &new, &["servers", "b"]), text);
    assert_eq!(remove(Json, text, &["servers", "a"]), "\u{feff}{\r\n\t\"servers\": {},\r\n}");
}

#[test]
fn a_text_on_one_line_stays_on_one_line() {
    let tight = r#"{"servers":{"a":{"x":1}}}"#;
    assert_eq!(
        set(Json, tight, &["servers", "b"], &json!({ "x": [1, 2] })),
        r#"{"servers":{"a":{"x":1},"b":{"x":[1,2]}}}"#
    );
    let loose = "{ \"a\": 1, \"b\": 2, \"c\": {} }\n";
    assert_eq!(remove(Json, loose, &["a"]), "{ \"b\": 2, \"c\": {} }\n");
    assert_eq!(remove(Json, loose, &["b"]), "{ \"a\": 1, \"c\": {} }\n");
    assert_eq!(remove(Json, loose, &["c"]), "{ \"a\": 1, \"b\": 2 }\n");
    assert_eq!(
        set(Json, loose, &["c", "d"], &json!("e")),
        "{ \"a\": 1, \"b\": 2, \"c\": {\"d\": \"e\"} }\n"
    );
}

#[test]
fn a_blank_text_becomes_a_document_with_a_last_newline() {
    let new = "{\n  \"servers\": {\n    \"a\": {\n      \"url\": \"u\"\n    }\n  }\n}\n";
    for blank in ["", " \n", "{}\n"] {
        assert_eq!(set(Json, blank, &["servers", "a"], &json!({ "url": "u" })), new, "{blank:?}");
    }
    let comments = "// only\n/* comments */\n";
    assert_eq!(
        set(Json, comments, &["a"], &json!(1)),
        "// only\n/* comments */\n{\n  \"a\": 1\n}\n"
    );
    assert_eq!(set(Json, "/*/ { */", &["a"], &json!(1)), "/*/ { */\n{\n  \"a\": 1\n}");
    assert_eq!(edit(Json, "\n", |_| Ok(())), "\n");
}

#[test]
fn an_empty_object_keeps_its_comments_and_an_emptied_one_stays() {
    assert_eq!(
        set(Json, "{ // none yet\n}\n", &["a"], &json!(1)),
        "{ // none yet\n  \"a\": 1\n}\n"
    );
    assert_eq!(set(Json, "{ /* none */ }", &["a"], &json!(1)), "{ /* none */\n  \"a\": 1\n}");
    assert_eq!(
        remove(Json, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", &["a", "b"]),
        "{\n  \"a\": {}\n}\n"
    );
    assert_eq!(remove(Json, "{ // kept\n\n  \"a\": 1\n}\n", &["a"]), "{ // kept\n}\n");
}

#[test]
fn keys_are_escaped() {
    let new = set(Json, "{}", &["a.b \"q\"\n", "ключ"], &json!("\u{1}"));
    assert_eq!(new, "{\n  \"a.b \\\"q\\\"\\n\": {\n    \"ключ\": \"\\u0001\"\n  }\n}");
    assert_eq!(remove(Json, &new, &["a.b \"q\"\n"]), "{}");
}
