//! Arguments stay arguments, whatever is in them.

use toolgate_types::Code;

use super::{Bench, script};

/// Each argument between brackets.
const SHOW: &str = r#"
        [tools.show]
        command = "/bin/sh"
        args = ["-c", "for a; do printf '<%s>' \"$a\"; done", "sh", "-r", "{{a}}", "--b={{b}}", "{{dash}}"]
        allow_dash = ["dash"]
        sandbox_profile = "none"

        [tools.show.input_schema]
        type = "object"
        properties = { a = {}, b = {}, dash = {} }
    "#;

/// Shows: G2.
#[tokio::test]
async fn each_item_is_one_argument_and_what_is_left_out_leaves_it_out() {
    let bench = Bench::open(SHOW);
    assert_eq!(bench.says("show", "{}").await, "<-r>");
    assert_eq!(bench.says("show", r#"{"a":"x y","b":7}"#).await, "<-r><x y><--b=7>");
    assert_eq!(
        bench.says("show", r#"{"a":null,"b":-1.50,"dash":"-v"}"#).await,
        "<-r><--b=-1.50><-v>"
    );
    assert_eq!(bench.says("show", r#"{"a":""}"#).await, "<-r><>");
}

#[tokio::test]
async fn nothing_in_a_value_is_run_split_or_expanded_again() {
    let bench = Bench::open(SHOW);
    let hostile = "$(touch pwned); touch pwned\n`touch pwned` | x && y > pwned 'a' \"b\" *";
    let arguments = serde_json::json!({ "a": hostile, "b": "{{a}} ${HOME} {{dash}}" });
    let said = bench.says("show", &arguments.to_string()).await;
    assert_eq!(said, format!("<-r><{hostile}><--b={{{{a}}}} ${{HOME}} {{{{dash}}}}>"));
    assert!(!bench.work().join("pwned").exists());
}

#[tokio::test]
async fn no_value_becomes_a_flag_and_no_list_an_argument() {
    let bench = Bench::open(SHOW);
    for (arguments, why) in [
        (r#"{"a":"-rf"}"#, "the parameter `a` begins with `-`"),
        (r#"{"a":"--output=/etc/passwd"}"#, "the parameter `a` begins with `-`"),
        (r#"{"b":"-x"}"#, "the parameter `b` begins with `-`"),
        (r#"{"a":["x","y"]}"#, "the parameter `a` is an array"),
        (r#"{"a":{"x":1}}"#, "the parameter `a` is an object"),
        (r#"{"a":"x\u0000y"}"#, "the parameter `a` holds a NUL character"),
    ] {
        let error = bench.call("show", arguments).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument, "{arguments}");
        assert!(error.message.contains(why), "{error}");
    }
}

#[tokio::test]
async fn the_arguments_are_its_standard_input_byte_for_byte() {
    let entry = "[tools.echo]\ncommand = \"cat\"\nsandbox_profile = \"none\"\n";
    let bench = Bench::open(entry);
    let odd = r#"{"n":1.50,  "big":12345678901234567890, "é":"\u00e9"}"#;
    assert_eq!(bench.says("echo", odd).await, format!("{odd}\n"));
}

#[tokio::test]
async fn a_command_that_closes_its_input_is_not_minded() {
    let bench = Bench::open(&script("deaf", "exec 0<&-; echo heard nothing", ""));
    let long = serde_json::json!({ "text": "x".repeat(1 << 20) }).to_string();
    assert_eq!(bench.says("deaf", &long).await, "heard nothing\n");
}

/// A file in the workspace is whatever somebody wrote there last.
#[tokio::test]
async fn no_program_of_the_workspace_is_run() {
    let own = "[tools.true]\ncommand = \"true\"\nsandbox_profile = \"none\"\n\
               [tools.here]\ncommand = \"./true\"\nsandbox_profile = \"none\"\n\
               [tools.linked]\ncommand = \"${BENCH_LINK}\"\nsandbox_profile = \"none\"\n";
    let bench = Bench::open("[tools.x]\ncommand = \"true\"\nsandbox_profile = \"none\"\n");
    let file = bench.work().join("true");
    std::fs::write(&file, "#!/bin/sh\necho pwned\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, mode).unwrap();
    let link = bench.outside().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let path = format!("{}:.:/usr/bin:/bin", bench.work().display());
    let variables = [("PATH", path.as_str()), ("BENCH_LINK", link.to_str().unwrap())];
    bench.reload(own, &variables).await;
    assert_eq!(bench.says("true", "{}").await, "(no output)", "the one of the system ran");
    for tool in ["here", "linked"] {
        let error = bench.call(tool, "{}").await.unwrap_err();
        assert_eq!(error.code, Code::PermissionDenied, "{error}");
        assert!(error.message.contains("lies in the workspace"), "{error}");
    }
}

/// The system takes no longer one; nothing is cut, and nothing hangs.
#[tokio::test]
async fn an_argument_that_is_too_long_for_the_system_is_an_error_that_says_so() {
    let bench = Bench::open(SHOW);
    let long = serde_json::json!({ "a": "x".repeat(300_000) }).to_string();
    let error = bench.call("show", &long).await.unwrap_err();
    assert_eq!(error.code, Code::Internal, "{error}");
    assert!(error.message.contains("too long"), "{error}");
}
