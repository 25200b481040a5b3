//! A call of a window waits in the queue and is answered from there, or not at all.

use serde_json::json;

use super::asking::{
    asked, asking_window, begin, decisions, person, reference, waiting, world, world_with,
};
use crate::daemon::house::{Ends, Window};

/// Shows: S1-82, G4.
#[test]
fn a_call_that_waits_is_shown_whole_and_goes_on_once_it_is_approved() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open_with(&world, &[], &[], &["stdio", "--client", "codex"]);
    let id = begin(&mut window);
    let one = waiting(&world, 1).remove(0);
    let reference = one["ref"].as_str().unwrap();
    assert_eq!((&one["server"], &one["tool"]), (&json!("s"), &json!("who")));
    assert_eq!((&one["client"], &one["principal"]), (&json!("codex"), &json!("local")));
    assert_eq!(one["choices"], json!(["once", "session", "deny"]));
    assert!(one["session"].is_string(), "{one}");
    let lives = one["until"].as_u64().unwrap() - one["since"].as_u64().unwrap();
    assert_eq!(lives, 120_000);
    assert_eq!(one["workspace"], "<world>/project");
    let text = one["text"].as_str().unwrap();
    assert!(text.starts_with("codex wants to call s/who.\n"), "{text}");
    assert!(text.contains("\"path\": \"notes.md\""), "{text}");

    let shown = world.run(&["approvals"]).ok().stdout;
    let (heading, rest) = shown.split_once('\n').unwrap();
    let begins = format!("ref {reference} · s/who · codex in <world>/project · waits ");
    assert!(heading.starts_with(&begins), "{heading}");
    assert!(heading.ends_with(" s left · once, session, deny"), "{heading}");
    for line in text.lines() {
        assert!(
            rest.lines().any(|shown| shown == format!("  {line}").trim_end()),
            "{line}: {rest}"
        );
    }

    let ran = person(&world, &["approve", reference]).ok();
    // Shown once more, whole, before it is asked about.
    assert!(ran.stdout.contains("\"path\": \"notes.md\""), "{ran:?}");
    let told = format!("approved s/who (ref {reference}), this once\n");
    assert!(ran.stdout.ends_with(&told), "{ran:?}");
    let answer = window.answer(id);
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    assert_eq!(world.run(&["approvals"]).ok().stderr, "nothing waits for you\n");
    // It was for that call alone.
    begin(&mut window);
    waiting(&world, 1);
}

/// Shows: S3-25, G4.
#[test]
fn what_is_denied_is_not_made_and_the_caller_reads_why() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    let reference = reference(&world);
    let deny = ["deny", &reference.to_uppercase(), "--reason", "not on a \u{202e}Friday", "--json"];
    let said = person(&world, &deny).ok().json();
    assert_eq!(said["choice"], "deny");
    assert_eq!((&said["server"], &said["tool"]), (&json!("s"), &json!("who")));
    let result = &window.answer(id)["result"];
    assert_eq!(
        (&result["isError"], &result["_meta"]["toolgate/reason"]),
        (&json!(true), &json!("denied"))
    );
    let words = result["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("the user declined this (denied): not on a \\u{202e}Friday"), "{words}");
    let row = &decisions(&world, 1)[0];
    assert_eq!(row["outcome"], "denied");
    assert_eq!(row["body"]["approval"]["said"], "not on a \u{202e}Friday");
}

/// Shows: S3-25, G4.
#[test]
fn what_nobody_answers_expires() {
    let world = world_with("[approval]\ntimeout_ms = 300\n");
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    let result = &window.answer(id)["result"];
    assert_eq!(result["_meta"]["toolgate/reason"], "expired", "{result}");
    waiting(&world, 0);
    let row = &decisions(&world, 1)[0];
    assert_eq!(row["outcome"], "expired");
    let reference = row["body"]["approval"]["ref"].as_str().unwrap();
    person(&world, &["approve", reference]).fails_with(1);
}

/// Shows: S3-25.
#[test]
fn the_record_of_an_answer_says_over_what_and_by_whose_process() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    person(&world, &["approve", &reference(&world)]).ok();
    window.answer(id);
    let row = &decisions(&world, 1)[0];
    assert_eq!((&row["outcome"], &row["tool"]), (&json!("approved"), &json!("who")));
    assert!(row["session"].is_string() && row["at"].is_string(), "{row}");
    assert!(row["body"]["arguments_hash"].is_string(), "{row}");
    let approval = &row["body"]["approval"];
    assert_eq!((&approval["channel"], &approval["choice"]), (&json!("queue"), &json!("once")));
    let chain = approval["processes"].as_str().unwrap();
    let test = format!("({})", std::process::id());
    assert!(chain.starts_with("toolgate(") && chain.contains(&test), "{chain}");
    let correlation = row["correlationId"].as_str().unwrap();
    let shown = world.run(&["audit", "show", correlation]).ok().stdout;
    assert!(shown.contains("\"channel\": \"queue\"") && shown.contains(chain), "{shown}");
}

/// Shows: S3-26.
#[test]
fn for_the_session_means_this_tool_until_the_window_is_gone() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    let ran = person(&world, &["approve", &reference(&world), "--session"]).ok();
    assert!(ran.stdout.contains("until the caller's session ends"), "{ran:?}");
    window.answer(id);
    window.call("s__who");
    // Another tool, and another window, are asked for.
    window.send("tools/call", json!({"name": "s__wait", "arguments": {}}));
    waiting(&world, 1);
    let mut other = Window::open(&world);
    begin(&mut other);
    waiting(&world, 2);
}

#[test]
fn what_is_only_for_the_agent_to_ask_is_not_in_the_queue() {
    let world = world_with("[approval]\nchannels = [\"agent\"]\n");
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let meta = json!({"progressToken": 1});
    window.send("tools/call", json!({"name": "s__who", "arguments": {}, "_meta": meta}));
    asked(&mut window);
    waiting(&world, 0);
    let told = loop {
        let message = window.client.message();
        if message["method"] == "notifications/progress" {
            break message["params"]["message"].as_str().unwrap().to_owned();
        }
    };
    let reference = told.strip_prefix("waiting for the user (ref ").unwrap().trim_end_matches(')');
    let ran = person(&world, &["approve", reference]).fails_with(1);
    assert!(ran.stdout.contains("no call with this reference is waiting"), "{ran:?}");
}
