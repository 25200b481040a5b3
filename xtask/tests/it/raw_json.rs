//! Parsed payloads on the call path are found; raw ones and other crates are not.
//!
//! The samples are never compiled.

use xtask::tidy::raw_json::check_text;

const FILE: &str = "crates/host/src/call.rs";

#[test]
fn every_name_of_a_parsed_value_is_found() {
    for bad in [
        "use serde_json::Value;",
        "use serde_json::{Value as Json, value::RawValue};",
        "use serde_json::value::{self, Value};",
        "use serde_json::*;",
        "fn a(b: serde_json::Value) {}",
        "use serde_json as j;\nfn a(b: j::Value) {}",
        "fn a() { serde_json::json!({}) }",
        "use serde_json::Map;",
        "fn a() { serde_json::from_str::<serde_json::Value>(b) }",
        "fn a() { serde_json::to_value(b) }",
    ] {
        assert!(!check_text(FILE, bad).is_empty(), "{bad}");
        for room in ["wire", "guard", "upstream", "gateway"] {
            assert!(!check_text(&format!("crates/{room}/src/a.rs"), bad).is_empty(), "{room}");
        }
    }
}

#[test]
fn raw_values_tests_and_other_crates_are_fine() {
    for good in [
        "use serde_json::value::RawValue;",
        "fn a() { serde_json::from_str::<Envelope>(b) }",
        "use crate::Value;\nfn a(b: Value) {}",
        "// serde_json::Value\n#[cfg(test)]\nmod tests { use serde_json::json; }",
        "fn a() { serde_json::value::to_raw_value(b) }",
    ] {
        assert_eq!(check_text(FILE, good), [], "{good}");
    }
    let value = "use serde_json::Value;";
    for file in ["crates/config/src/a.rs", "crates/host/tests/it/a.rs", "xtask/src/a.rs"] {
        assert_eq!(check_text(file, value), [], "{file}");
    }
}

#[test]
fn the_copy_that_arguments_are_checked_on_is_the_one_exemption() {
    let value = "use serde_json::Value;";
    for file in ["crates/host/src/arguments.rs", "crates/host/src/arguments/a/b.rs"] {
        assert_eq!(check_text(file, value), [], "{file}");
    }
    for file in [
        "crates/host/src/arguments_too.rs",
        "crates/host/src/arguments.rs.rs",
        "crates/host/src/call/arguments.rs",
        "crates/host/arguments/a.rs",
        "crates/guard/src/arguments.rs",
        "crates/gateway/src/arguments/a.rs",
        "crates/host/src/output.rs",
    ] {
        assert!(!check_text(file, value).is_empty(), "{file}");
    }
}
