//! Calls that wait are shown on the desktop. What stands there for `notify-send` writes down what it
//! was told, and presses a button.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::asking::{begin, decisions, furnished, person, reference, waiting};
use crate::daemon::house::{Window, eventually, house};
use crate::keeper::Keeper;
use crate::support::World;

/// A world with a desktop, and this as what shows things there.
fn world(script: &str) -> World {
    furnished(with_desktop(house(), script), "")
}

/// The same without a server.
pub(crate) fn with_desktop(world: World, script: &str) -> World {
    let folder = world.home().join("bin");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
    let world = world.with("PATH", &path).with("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    // The file is there once it is whole.
    let record = "for word; do printf '%s\\0' \"$word\"; done >$HOME/told.$$; env >$HOME/env.$$\n\
                  mv $HOME/told.$$ $HOME/shown.$$\n";
    let file = world.write("home/bin/notify-send", &format!("#!/bin/sh\n{record}{script}\n"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    world
}

/// What was shown, each by its words.
pub(crate) fn shown(world: &World) -> Vec<Vec<String>> {
    let files = fs::read_dir(world.home()).unwrap().filter_map(|file| {
        let path = file.unwrap().path();
        path.file_name()?.to_str()?.starts_with("shown.").then_some(path)
    });
    let words = files.map(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    });
    words.collect()
}

#[test]
fn a_button_on_the_desktop_is_an_answer() {
    let keeper = Keeper::start(world("echo session"));
    let mut window = Window::open(&keeper);
    let id = begin(&mut window);
    assert!(window.answer(id)["result"]["content"].is_array());
    let words = shown(&keeper).remove(0);
    let options = [
        "--app-name=Toolgate",
        "--urgency=critical",
        "--wait",
        "--action=once=Allow once",
        "--action=session=Allow for this session",
        "--action=deny=Deny",
        "--",
    ];
    assert_eq!(words[..7], options);
    assert!(words[7].ends_with("wants to call s/who"), "{words:?}");
    assert!(words[8].contains("notes.md"), "{words:?}");
    let approval = &decisions(&keeper, 1)[0]["body"]["approval"];
    assert_eq!(approval["channel"], "desktop");
    assert_eq!(approval["choice"], "session");
    // So it is not asked again.
    window.call("s__who");
    assert_eq!(shown(&keeper).len(), 1);
}

#[test]
fn a_notification_that_is_put_away_leaves_it_to_the_others() {
    let keeper = Keeper::start(world("exit 0"));
    let mut window = Window::open(&keeper);
    let id = begin(&mut window);
    eventually("it is shown", || shown(&keeper).len() == 1);
    person(&keeper, &["approve", &reference(&keeper)]).ok();
    assert!(window.answer(id)["result"]["content"].is_array());
}

#[test]
fn what_was_answered_elsewhere_is_taken_from_the_desktop() {
    let keeper = Keeper::start(world("trap 'touch $HOME/away; exit 0' INT; sleep 600 & wait"));
    let mut window = Window::open(&keeper);
    let id = begin(&mut window);
    eventually("it is shown", || shown(&keeper).len() == 1);
    person(&keeper, &["approve", &reference(&keeper)]).ok();
    window.answer(id);
    eventually("it is taken away", || keeper.exists("home/away"));
}

#[test]
fn what_is_too_long_to_be_read_there_cannot_be_allowed_there() {
    let keeper = Keeper::start(world("echo once"));
    let mut window = Window::open(&keeper);
    let arguments = json!({"text": "x".repeat(2000), "end": "<hidden & far>"});
    window.send("tools/call", json!({"name": "s__who", "arguments": arguments}));
    eventually("it is shown", || shown(&keeper).len() == 1);
    let words = shown(&keeper).remove(0);
    let buttons: Vec<_> = words.iter().filter(|word| word.starts_with("--action")).collect();
    assert_eq!(buttons, ["--action=deny=Deny"]);
    assert!(words.last().unwrap().contains("toolgate approvals"), "{words:?}");
    // What it says all the same counts for nothing.
    person(&keeper, &["deny", &reference(&keeper)]).ok();
    assert_eq!(decisions(&keeper, 1)[0]["body"]["approval"]["channel"], "queue");
}

#[test]
fn one_without_buttons_still_tells() {
    let old = "for word; do case $word in --action*) echo unknown option >&2; exit 1;; esac; done";
    let keeper = Keeper::start(world(old));
    let mut window = Window::open(&keeper);
    begin(&mut window);
    eventually("it is told", || shown(&keeper).len() == 2);
    let plain = shown(&keeper).into_iter().find(|words| !words.contains(&"--wait".to_owned()));
    let plain = plain.unwrap();
    assert_eq!(plain[..3], ["--app-name=Toolgate", "--urgency=critical", "--"]);
    assert!(plain.last().unwrap().contains("toolgate approvals"), "{plain:?}");
    waiting(&keeper, 1);
}

#[test]
fn a_crowd_is_not_put_on_the_desktop() {
    let keeper = Keeper::start(world("sleep 600"));
    let mut windows: Vec<_> = (0..10).map(|_| Window::open(&keeper)).collect();
    for window in &mut windows {
        begin(window);
    }
    waiting(&keeper, 10);
    eventually("some are shown", || shown(&keeper).len() == 8);
    let more = waiting(&keeper, 10).len() - shown(&keeper).len();
    assert_eq!(more, 2);
}

#[test]
fn it_is_given_what_leads_to_the_desktop_and_no_more() {
    let world = world("exit 0").with("DISPLAY", ":7").with("TOKEN", "secret");
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    begin(&mut window);
    eventually("it is shown", || shown(&keeper).len() == 1);
    let files = fs::read_dir(keeper.home()).unwrap().map(|file| file.unwrap().path());
    let mut files =
        files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("env."));
    let environment = fs::read_to_string(files.next().unwrap()).unwrap();
    assert!(
        environment.contains("DISPLAY=:7") && environment.contains("DBUS_SESSION_BUS_ADDRESS=")
    );
    assert!(!environment.contains("secret"), "{environment}");
}
