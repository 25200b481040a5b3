//! Every command in the README and in the book is typed as it stands there, in a world such as the book
//! supposes, and does not fail.

mod furnished;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::approvals::asking::{person, reference};
use crate::daemon::house::{Ends, Window};
use crate::login::{log_in, paste_back};
use crate::support::{Ran, World};
use furnished::{Furnished, Logins};

/// The words of a line, without its comment; what stands in single quotes is one.
fn words(line: &str) -> Vec<String> {
    let line = line.split("  #").next().unwrap_or_default();
    let pieces = line.split('\'').enumerate();
    let words = pieces.flat_map(|(number, piece)| match number % 2 {
        0 => piece.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![piece.to_owned()],
    });
    words.collect()
}

/// What a reader is told to type, each once.
fn commands() -> BTreeSet<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    let pages = pages.filter(is_page).chain([root.join("README.md")]);
    let of_page = |page: PathBuf| {
        let text = fs::read_to_string(page).unwrap();
        let lines = text.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line));
        let typed = lines.filter_map(|line| line.strip_prefix("toolgate "));
        typed.map(words).collect::<Vec<_>>()
    };
    pages.flat_map(of_page).collect()
}

#[test]
fn every_command_in_the_book_is_typed_and_does_not_fail() {
    let commands = commands();
    assert!(commands.len() > 40, "only {} were found", commands.len());
    let mut wrong = Vec::new();
    for command in &commands {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let (ran, expected) = typed(&command);
        if !expected.contains(&ran.code) {
            wrong.push(format!("toolgate {}\n{ran:#?}", command.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs one in a world of its own; with it, how it may end.
fn typed(command: &[&str]) -> (Ran, &'static [i32]) {
    match *command {
        ["login", server, ref how @ ..] => (logged_in(server, how), &[0]),
        // Whoever never logged in is nobody who could be logged out, and that is said.
        ["logout", _, "--of", _] => (Furnished::new(Logins::Wanted).run(command), &[1]),
        ["logout", server] => {
            let world = Furnished::new(Logins::Wanted);
            log_in(&world, server, true).ok();
            (world.run(command), &[0])
        }
        ["approve" | "deny", _, ref more @ ..] => (answered(command[0], more), &[0]),
        ["serve", ..] | [.., "--watch" | "--follow"] => (left_with_ctrl_c(command), &[0, 130]),
        ["add", name, ..] => (Furnished::without(name).run(command), &[0]),
        ["disconnect", client] => {
            let world = Furnished::new(Logins::Not);
            world.run(&["connect", client]).ok();
            (world.run(command), &[0])
        }
        ["restart" | "stop" | "status" | "approvals", ..] => {
            let world = Furnished::new(Logins::Not);
            let _ends = Ends(&world);
            let mut window = Window::open(&world);
            window.tools();
            (world.run(command), &[0])
        }
        ["pins", "lock"] => {
            let world = Furnished::new(Logins::Not);
            world.brings_a_server();
            world.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
            world.run(&["tools"]).ok();
            (world.run(command), &[0])
        }
        // What it asks is answered with yes.
        ["import", _] | ["uninstall"] | ["init"] | ["policy", "suggest"] => {
            (Furnished::new(Logins::Not).run_at_terminal(command, "y\ny\ny\n"), &[0])
        }
        // What is missing on this machine is no fault of the command.
        ["doctor"] => (Furnished::new(Logins::Not).run(command), &[0, 1]),
        _ => (Furnished::new(Logins::Not).run(command), &[0]),
    }
}

/// A person logs in, by whichever way the words say.
fn logged_in(server: &str, how: &[&str]) -> Ran {
    let world = Furnished::new(Logins::Wanted);
    let mut terminal = world.at_terminal(&[&["login", server], how].concat());
    if how.contains(&"--device") {
        terminal.until("/type-it-in");
        return terminal.ended(&world);
    }
    if !how.contains(&"--no-browser") {
        terminal.until("open it in your browser?");
        terminal.type_in("n\n");
    }
    paste_back(&mut terminal);
    terminal.ended(&world)
}

/// A call of an agent that waits for a word.
fn asking(world: &World) -> Window {
    let mut window = Window::open(world);
    let call = json!({"name": "files__write_file", "arguments": {"path": "notes.md"}});
    window.send("tools/call", call);
    reference(world);
    window
}

/// A person answers a call that waits, under its own reference.
fn answered(verb: &str, more: &[&str]) -> Ran {
    let world = Furnished::new(Logins::Not);
    let _ends = Ends(&world);
    let _window = asking(&world);
    person(&world, &[&[verb, &reference(&world)], more].concat())
}

/// What goes on until somebody ends it, once it has said something.
fn left_with_ctrl_c(command: &[&str]) -> Ran {
    let world = Furnished::new(Logins::Not);
    let _ends = Ends(&world);
    let _window = (command[0] != "serve").then(|| asking(&world));
    let mut terminal = world.at_terminal(command);
    if command[0] != "serve" {
        world.run(&["call", "files", "read_text_file", "path=README.md"]).ok();
    }
    terminal.until("\n");
    terminal.type_in("\u{3}");
    terminal.ended(&world)
}
