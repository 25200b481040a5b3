//! Several answers to one call: the first counts, and the others are told.

use serde_json::{Value, json};

use super::asking::{
    asked, asking_window, begin, decisions, person, reference, say, waiting, world, world_with,
};
use crate::daemon::house::{Ends, Window};

#[test]
fn of_two_who_approve_at_once_one_is_told_that_it_was_late() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    for round in 1..=4 {
        let id = begin(&mut window);
        let reference = reference(&world);
        let both = [(); 2].map(|()| world.at_terminal(&["approve", &reference]));
        let both = both.map(|mut one| {
            one.type_in("y\n");
            one
        });
        let mut both = both.map(|one| one.ended(&world));
        both.sort_by_key(|ran| ran.code);
        assert_eq!(both.each_ref().map(|ran| ran.code), [0, 1], "{both:?}");
        assert!(both[0].stdout.contains("approved s/who"), "{both:?}");
        let late = &both[1].stdout;
        let known = ["answered already", "already ran", "no call with this"];
        assert!(known.iter().any(|known| late.contains(known)), "{late}");
        assert!(window.answer(id)["result"]["content"].is_array());
        assert_eq!(decisions(&world, round).len(), round);
    }
}

/// Shows: G4.
#[test]
fn the_agent_and_the_queue_are_asked_at_once_and_the_first_answer_counts() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let accept = json!({"action": "accept", "content": {"decision": "once"}});
    for round in 1..=4 {
        let id = begin(&mut window);
        let (question, params) = asked(&mut window);
        assert!(params["message"].as_str().unwrap().contains("s/who"), "{params}");
        let mut terminal = world.at_terminal(&["approve", &reference(&world)]);
        terminal.type_in("y\n");
        say(&mut window, &question, &accept);
        let ran = terminal.ended(&world);
        assert!(window.answer(id)["result"]["content"].is_array());
        let rows = decisions(&world, round);
        let channel = &rows[round - 1]["body"]["approval"]["channel"];
        let expected = if ran.code == 0 { "queue" } else { "agent" };
        assert_eq!(*channel, expected, "{ran:?}");
    }
}

#[test]
fn a_window_that_declines_by_itself_leaves_it_to_the_queue() {
    let world = world_with("[approval]\nfastest_answer_ms = 60000\n");
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let id = begin(&mut window);
    let (question, _) = asked(&mut window);
    say(&mut window, &question, &json!({"action": "decline"}));
    decisions(&world, 1);
    let reference = reference(&world);
    person(&world, &["approve", &reference]).ok();
    assert!(window.answer(id)["result"]["content"].is_array());
    let rows = decisions(&world, 2);
    assert_eq!(rows[0]["outcome"], "ignored", "{rows:?}");
    assert!(rows[0]["body"]["approval"]["after_ms"].is_u64(), "{rows:?}");
}

#[test]
fn a_window_in_which_a_person_declines_is_told_no_at_once() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    for action in ["decline", "cancel"] {
        let id = begin(&mut window);
        let (question, _) = asked(&mut window);
        say(&mut window, &question, &json!({"action": action}));
        let answer = window.answer(id);
        assert_eq!(answer["result"]["_meta"]["toolgate/reason"], "denied", "{answer}");
        waiting(&world, 0);
    }
}

/// Nobody can be asked but in the queue, and there nobody is.
#[test]
fn where_nobody_attends_the_queue_a_call_says_so_soon() {
    let settings = "[approval]\nunattended_ms = 200\ntimeout_ms = 600000\n";
    let world = world_with(settings);
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    let answer = window.answer(id);
    assert_eq!(answer["result"]["_meta"]["toolgate/reason"], "no_channel", "{answer}");
    // A person's own command shows that one is near.
    person(&world, &["approvals"]).ok();
    let id = begin(&mut window);
    let reference = reference(&world);
    person(&world, &["approve", &reference]).ok();
    assert!(window.answer(id)["result"]["content"].is_array());
}

#[test]
fn what_is_answered_in_the_queue_is_taken_back_from_the_agent() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    begin(&mut window);
    let (question, _) = asked(&mut window);
    person(&world, &["deny", &reference(&world)]).ok();
    let told: Value = loop {
        let message = window.client.message();
        if message["method"] == "notifications/cancelled" {
            break message["params"]["requestId"].clone();
        }
    };
    assert_eq!(told, question);
    waiting(&world, 0);
}
