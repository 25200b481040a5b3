//! Where a token of a login must not be seen: in what a server says of it, and in what can be read of processes.

use toolgate_testkit::{Act, Script};

use super::LoginTry;
use crate::daemon::house::{Ends, Window, house, teller};

/// A server that repeats the token it was shown tells nobody: it is a secret like any other.
#[test]
fn a_token_that_a_server_repeats_is_masked_and_kept_nowhere() {
    let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
    let refuses = Act::refuse(-32000, "token access-3 of refresh-3");
    let script = Script::modern().on("tools/list", [Act::answer(tools)]).on_call("t", [refuses]);
    let login = LoginTry::with(script);
    login.log_in(true).ok();
    let mut shown = String::new();
    for words in
        [&["call", "one", "t", "--log-level", "trace"][..], &["call", "one", "t", "-v", "--json"]]
    {
        let ran = login.world.run(words);
        assert_ne!(ran.code, 0, "{ran:#?}");
        shown.push_str(&format!("{}{}", ran.stdout, ran.stderr));
    }
    let records = login.world.run(&["audit", "--json"]).ok();
    shown.push_str(&records.stdout);
    assert!(shown.contains("***"), "{shown}");
    assert!(!shown.contains("access-3"), "{shown}");
}

/// The same where a server is only tested, in what it fails with.
#[test]
fn a_token_that_a_tested_server_repeats_is_masked() {
    let said = "who shows access-3 is not let in";
    let script = Script::modern().on("tools/list", [Act::refuse(-32000, said)]);
    let login = LoginTry::with(script);
    login.log_in(true).ok();
    for words in [&["test", "one"][..], &["test", "one", "--json"]] {
        let ran = login.world.run(words);
        assert_ne!(ran.code, 0, "{ran:#?}");
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        assert!(shown.contains("who shows *** is not let in"), "{shown}");
    }
}

/// Whatever can be read of processes from outside holds no token: neither their command lines nor their
/// variables, of the daemon, of what it started and of who called.
#[test]
fn no_process_has_a_token_where_others_can_read_it() {
    let login = LoginTry::of(house());
    let _ends = Ends(&login.world);
    login.world.local("other", &teller());
    login.log_in(true).ok();
    let mut window = Window::open(&login.world);
    assert_eq!(window.call("one__t"), "done");
    window.call("other__who");
    let folder = login.world.home().parent().unwrap().display().to_string();
    let read = |path: &std::path::Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    };
    let own = std::process::id().to_string();
    let mut seen = 0;
    for process in std::fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let path = process.path();
        let text = read(&path.join("cmdline")) + &read(&path.join("environ"));
        if process.file_name().to_str() == Some(&own) || !text.contains(&folder) {
            continue;
        }
        seen += 1;
        assert!(!text.contains("access-") && !text.contains("refresh-"), "{text}");
    }
    assert!(seen >= 3, "the daemon, the window's shim and the other server are among them: {seen}");
}
