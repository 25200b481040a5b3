//! What a person is told of logins where they are not looking: on the desktop, and beside a call that waits.

use serde_json::json;

use super::{LoginTry, log_in};
use crate::approvals::asking::{asked, asking_window, say, taken_at_once};
use crate::approvals::desktop::{shown, with_desktop};
use crate::daemon::house::{Ends, Window, eventually, house};
use crate::support::World;

fn call_without_login(window: &mut Window) {
    let answer = window.ask("tools/call", json!({"name": "one__t", "arguments": {}}));
    assert!(answer.to_string().contains("toolgate login one"), "{answer}");
}

/// Once for each time that a server comes to want one, however often it is called meanwhile.
#[test]
fn a_login_that_is_wanted_is_told_on_the_desktop_once() {
    let login = LoginTry::of(with_desktop(house(), ""));
    let _ends = Ends(&login.world);
    // The daemon has the desktop of the window that started it.
    let variables = login.world.environment();
    let theirs: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut window = Window::open_with(&login.world, &theirs, &[], &["stdio"]);
    call_without_login(&mut window);
    call_without_login(&mut window);
    eventually("it is told", || !shown(&login.world).is_empty());
    let words = shown(&login.world).remove(0);
    assert_eq!(words[..3], ["--app-name=Toolgate", "--urgency=critical", "--"]);
    assert_eq!(words[3], "one wants a login");
    assert!(words[4].contains("toolgate login one"), "{words:?}");
    // What comes after a login is told anew, so what there is by then was told before it.
    log_in(&login.world, "one", true).ok();
    assert_eq!(window.call("one__t"), "done");
    login.world.run(&["logout", "one"]).ok();
    call_without_login(&mut window);
    eventually("it is told again", || shown(&login.world).len() == 2);
}

/// Who approves a call sees which account it is made as.
#[test]
fn a_call_that_waits_says_as_which_account_it_is_made() {
    let login = LoginTry::of(house());
    let _ends = Ends(&login.world);
    let project = login.world.project().display().to_string();
    let before = login.world.read(World::GLOBAL).replace("approval = \"approve\"\n", "");
    let meant = format!("{before}oauth = {{ account_for = {{ {project:?} = \"work\" }} }}\n");
    login.world.replace(World::GLOBAL, &format!("{}{meant}", taken_at_once("")));
    login.log_in_with(&["--account", "work"]).ok();
    let mut window = asking_window(&login.world);
    let call = window.send("tools/call", json!({"name": "one__t", "arguments": {}}));
    let (id, params) = asked(&mut window);
    let question = params["message"].as_str().unwrap();
    assert!(question.contains("(as work)"), "{question}");
    say(&mut window, &id, &json!({"action": "accept", "content": {"decision": "once"}}));
    let answer = window.answer(call);
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}
