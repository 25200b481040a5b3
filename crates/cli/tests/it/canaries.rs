//! Fifty secrets let loose in a configuration and in calls, repeated by the servers in errors, logs
//! and on standard error; then everything that was printed or kept is searched for them.
//!
//! What a tool returned is handed on and kept as it came, so no result has a canary. A program's
//! arguments are seen by everybody on the machine; a canary there is looked for in all places but
//! the command line of that very program.

mod aviary;
mod search;
mod telling;

use aviary::{Aviary, CALLED, LOCAL, REMOTE, WITHOUT_ANSWER, arguments, own};
use search::Search;

/// Makes the calls, fails in the ways there are, and looks at everything that can be looked at.
fn let_loose(aviary: &Aviary) {
    for server in LOCAL.into_iter().chain(REMOTE) {
        let own = own(server);
        aviary.call(server, "fine", own[0], &["--log-level", "trace"]);
        let as_json = ["--log-level", "trace", "--log-format", "json"];
        aviary.call(server, "refuse", own[1], &as_json);
        aviary.call(server, "refuse", own[0], &["-v", "--json"]);
        let wrong = serde_json::json!({"n": aviary.canaries[own[0]]});
        aviary.run_with(&["call", server, "refuse", "--args", "-"], &wrong);
        let all = arguments(&aviary.canaries, own[1]);
        aviary.run_with(&["explain", server, "fine", "--json", "--args", "-"], &all);
        if LOCAL.contains(&server) {
            aviary.call(server, "die", own[0], &["-v"]);
        }
    }
    for server in LOCAL.into_iter().chain(REMOTE).chain(WITHOUT_ANSWER) {
        aviary.run(&["test", server, "-v"]);
        aviary.run(&["test", server, "--json", "--log-level", "trace"]);
        aviary.run(&["get", server]);
        aviary.run(&["get", server, "--json"]);
    }
    for server in WITHOUT_ANSWER {
        aviary.call(server, "fine", own("query")[0], &["--log-level", "trace"]);
    }
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["config", "check"],
        &["tools", "-v"],
        &["tools", "--json"],
        &["trust", "--list"],
    ] {
        aviary.run(arguments);
    }
    aviary.look_at_records();
}

/// Shows: S1-85, S3-31, S3-35.
#[test]
fn secrets_leaking_of_fifty_canaries_in_configuration_and_calls_none_is_printed_or_kept_in_clear() {
    let aviary = Aviary::new();
    let_loose(&aviary);
    aviary.check_that_none_is_found();
    aviary.check_that_they_were_there();
}

/// Shows: S1-85.
#[test]
fn secrets_leaking_no_canary_is_on_a_command_line_while_a_call_runs() {
    let aviary = Aviary::new();
    let search = Search::new(&aviary.canaries);
    for server in LOCAL {
        let lines = aviary.command_lines(server);
        let is_helper = |line: &[u8]| String::from_utf8_lossy(line).contains("__reap");
        let helpers = lines.iter().filter(|(_, line)| is_helper(line)).count();
        assert_eq!(helpers, 2, "those that watch over the server: {lines:?}");
        assert!(lines.iter().any(|(is_server, _)| *is_server), "{server} was not seen");
        for (is_server, line) in lines {
            let mut found = search.found(&line);
            found.retain(|(number, _)| {
                !(is_server && server == "args" && own(server).contains(number))
            });
            assert!(found.is_empty(), "{server}: {found:?}");
        }
    }
    aviary.look_at_records();
    aviary.check_that_none_is_found();
}

/// Shows: S1-85.
#[test]
fn secrets_leaking_a_server_that_cannot_be_reached_tells_no_canary() {
    let aviary = Aviary::new();
    aviary.add_broken();
    for server in ["broken", "unfit"] {
        aviary.run(&["test", server]);
        aviary.run(&["test", server, "--json"]);
        aviary.call(server, "fine", own("envs")[0], &["-v"]);
    }
    aviary.run(&["tools"]);
    aviary.run(&["tools", "--json"]);
    aviary.check_that_none_is_found();
}

/// Shows: S1-85.
#[test]
fn secrets_leaking_of_a_canary_that_is_cut_in_two_no_half_is_told() {
    let aviary = Aviary::new();
    aviary.add_wordy();
    for tool in ["refuse", "die"] {
        aviary.call("wordy", tool, own("envs")[0], &["-v"]);
    }
    aviary.look_at_records();
    aviary.check_that_none_is_found();
}

/// Shows: S1-85.
#[test]
fn secrets_leaking_a_canary_of_another_server_is_masked_as_well() {
    let aviary = Aviary::new();
    aviary.call("envs", "fine", own("heads")[0], &[]);
    aviary.look_at_records();
    aviary.check_that_none_is_found();
}

/// Shows: S1-85, S3-31, S3-44.
#[test]
fn secrets_leaking_an_argument_that_its_schema_hides_is_not_told_when_it_is_wrong() {
    let aviary = Aviary::new();
    let wrong = serde_json::json!({"pin": [aviary.canaries[CALLED.start]]});
    aviary.run_with(&["call", "envs", "fine", "--args", "-"], &wrong);
    aviary.look_at_records();
    aviary.check_that_none_is_found();
}
