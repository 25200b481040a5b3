//! What a command prints becomes a result.

use serde_json::json;
use toolgate_types::Code;

use super::{Bench, script, text};

const SCHEMA: &str = r#"output_schema = { type = "object", required = ["n"], properties = { n = { type = "integer" } } }"#;

#[tokio::test]
async fn json_that_fits_is_structured_and_anything_else_is_an_error() {
    let own = [
        script("fits", r#"echo '{"n": 1.0e0, "more": [1, 2]}'"#, SCHEMA),
        script("unfit", r#"echo '{"n": "one"}'"#, SCHEMA),
        script("prose", "echo hello", SCHEMA),
        script("failing", r#"echo '{"n": 1}'; exit 3"#, SCHEMA),
        script("free", r#"echo '{"n": 1}'"#, ""),
    ];
    let bench = Bench::open(&own.concat());
    let fits = bench.call("fits", "{}").await.unwrap();
    assert_eq!(fits["structuredContent"], json!({ "n": 1.0, "more": [1, 2] }));
    assert_eq!(
        (fits["isError"].as_bool(), text(&fits).trim()),
        (Some(false), r#"{"n": 1.0e0, "more": [1, 2]}"#)
    );
    for tool in ["unfit", "prose"] {
        let result = bench.call(tool, "{}").await.unwrap();
        assert_eq!(result["isError"], true, "{result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        assert!(text(&result).contains("does not fit the tool's output schema"), "{result}");
    }
    let failing = bench.call("failing", "{}").await.unwrap();
    assert_eq!((&failing["isError"], failing.get("structuredContent")), (&json!(true), None));
    let free = bench.call("free", "{}").await.unwrap();
    assert_eq!((&free["isError"], free.get("structuredContent")), (&json!(false), None));
}

#[tokio::test]
async fn a_command_that_fails_says_how_and_what_it_complained_about() {
    let bench = Bench::open(&script("fails", "echo out; echo oh no >&2; exit 4", ""));
    let result = bench.call("fails", "{}").await.unwrap();
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "out\n\n[stderr]\noh no\n[the command exited with code 4]");
    let figures = &result["_meta"]["toolgate/command"];
    assert_eq!(*figures, json!({ "exit_code": 4, "stdout_bytes": 4, "stderr_bytes": 6 }));
}

#[tokio::test]
async fn what_is_no_text_harms_nobody() {
    let bench = Bench::open(&script("binary", r"printf 'a\377\000\033[2Jb'", ""));
    let result = bench.call("binary", "{}").await.unwrap();
    assert_eq!(text(&result), "a\u{fffd}\0\u{1b}[2Jb");
    assert_eq!(result["_meta"]["toolgate/command"]["is_binary"], true);
}

/// Shows: S3-41.
#[tokio::test]
async fn the_record_has_exit_status_and_how_much_was_printed() {
    let own = [
        script("fails", "printf 12345; printf 123 >&2; exit 4", ""),
        script("hangs", "printf 1234567; exec sleep 1000", "timeout_ms = 4000"),
    ];
    let bench = Bench::open(&own.concat());
    bench.call("fails", "{}").await.unwrap();
    bench.call("hangs", "{}").await.unwrap_err();
    let records = bench.records().await;
    let [failed, hung] = &records[..] else { panic!("{records:#?}") };
    let command = &failed["command"];
    assert_eq!(*command, json!({ "exit_status": 4, "stdout_bytes": 5, "stderr_bytes": 3 }));
    let work = bench.work().display().to_string();
    assert_eq!((&failed["sandbox"], &failed["cwd"]), (&json!("none"), &json!(work)));
    assert!(failed["arguments_hash"].is_string() && failed["timeout_ms"] == 120_000, "{failed}");
    assert_eq!(
        (&hung["command"]["signal"], &hung["command"]["stdout_bytes"]),
        (&json!(15), &json!(7))
    );
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error_without_a_path() {
    let bench =
        Bench::open("[tools.gone]\ncommand = \"/nowhere/at-all\"\nsandbox_profile = \"none\"\n");
    let error = bench.call("gone", "{}").await.unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert!(!error.message.contains("nowhere"), "{error}");
    assert!(error.detail.unwrap().contains("/nowhere/at-all"));
}

#[tokio::test]
async fn a_command_that_fails_for_want_of_its_token_says_which_is_missing() {
    let own = script(
        "push",
        "echo 401 from https://internal >&2; exit 1",
        r#"env_vars = ["PUSH_TOKEN"]"#,
    );
    let bench = Bench::open(&own);
    let error = bench.call("push", "{}").await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
    assert!(error.message.contains("`PUSH_TOKEN` is not set"), "{error}");
    assert!(!error.message.contains("internal"), "{error}");
    bench.reload(&own, &[("PUSH_TOKEN", "given")]).await;
    assert_eq!(bench.call("push", "{}").await.unwrap()["isError"], true);
}

/// Behind walls where the system has them, and nowhere without.
#[tokio::test]
async fn what_wants_a_wall_does_not_run_without_one() {
    let own = "[tools.walled]\ncommand = \"/bin/sh\"\n\
               args = [\"-c\", \"echo in > inside; echo out > ../outside\"]\n";
    let bench = Bench::open(own);
    let has_run = match bench.call("walled", "{}").await {
        // What it wrote outside went nowhere, or to a place of its own.
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, Code::Unavailable, "{error}");
            assert!(error.message.contains("does not run without"), "{error}");
            false
        }
    };
    assert_eq!(bench.work().join("inside").exists(), has_run);
    assert!(!bench.outside().join("outside").exists());
}

#[tokio::test]
async fn of_a_very_long_output_beginning_and_end_are_told_where_nothing_keeps_it() {
    let bench = Bench::open(&script(
        "long",
        "echo first; yes | head -c 3000000; echo last",
        "result_bytes = 10000000",
    ));
    let result = bench.call("long", "{}").await.unwrap();
    let said = text(&result);
    assert!(said.starts_with("first\n") && said.ends_with("last\n"), "{}", said.len());
    assert!(said.contains("bytes are left out here]") && said.len() < 1_300_000, "{}", said.len());
    assert_eq!(result["_meta"]["toolgate/command"]["stdout_bytes"], 3_000_011);
}
