//! Every verb that can be typed, and whether an agent may have it done.

use clap::{Arg, Command, CommandFactory as _, Parser as _};

use super::*;
use crate::args::{CommandLineArgs, TopVerb};

/// All that an agent may have done, as it is typed. What is not here is refused; a new verb too, until
/// somebody has thought about it and written it down here and in the table.
const ALLOWED: [&str; 30] = [
    "__complete",
    "__daemon",
    "approvals",
    "audit",
    "audit export",
    "audit show",
    "audit verify",
    "auth list",
    "call",
    "completions",
    "config check",
    "config path",
    "config schema",
    "config show",
    "doctor",
    "explain",
    "get",
    "list",
    "logs",
    "man",
    "pins",
    "pins diff",
    "pins list",
    "prompts get",
    "prompts list",
    "resources list",
    "resources read",
    "sandbox explain",
    "status",
    "stdio",
];

/// Those that use servers, and show.
const ALLOWED_TOO: [&str; 6] =
    ["resources templates", "test", "token list", "tools", "tools search", "tools show"];

/// A value that an argument takes.
fn value(argument: &Arg) -> String {
    let possible = argument.get_possible_values();
    let first = possible.first().map(|value| value.get_name().to_owned());
    first.unwrap_or_else(|| "x".to_owned())
}

/// Every way to end a command line with a verb, with what that needs to be understood.
fn lines(command: &Command, before: &[String], all: &mut Vec<Vec<String>>) {
    let words = |command: &Command| {
        let mut words = before.to_vec();
        words.push(command.get_name().to_owned());
        words
    };
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let path = words(verb);
        lines(verb, &path, all);
        if !verb.is_subcommand_required_set() {
            // A client is needed where not all of them are meant.
            let is_needed =
                |argument: &&Arg| argument.is_required_set() || argument.get_id() == "client";
            let needed = verb.get_positionals().filter(is_needed);
            all.push([path, needed.map(value).collect()].concat());
        }
    }
}

fn verb_of(line: &[String]) -> Verb {
    let words = std::iter::once("toolgate").chain(line.iter().map(String::as_str));
    let parsed = CommandLineArgs::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
    let (TopVerb::Verb(verb) | TopVerb::Mcp { verb }) = parsed.verb;
    verb
}

#[test]
fn a_verb_is_refused_unless_somebody_has_thought_about_it() {
    let mut command = CommandLineArgs::command();
    command.build();
    let mut all = Vec::new();
    lines(&command, &[], &mut all);
    assert!(all.len() > 80, "every verb, twice: {all:?}");
    let is_allowed = |line: &[String]| {
        let line = line.join(" ");
        let line = line.strip_prefix("mcp ").unwrap_or(&line);
        let mut known = ALLOWED.iter().chain(&ALLOWED_TOO);
        known.any(|known| {
            *known == line
                || line.strip_prefix(known).is_some_and(|rest| {
                    rest.split(' ').skip(1).all(|word| ["x", "bash", "servers"].contains(&word))
                })
        })
    };
    for line in all {
        let allowed = may_have_it_done(&verb_of(&line));
        assert_eq!(allowed.is_some(), is_allowed(&line), "{line:?}: {allowed:?}");
    }
}

#[test]
fn what_only_shows_is_allowed_of_verbs_that_do_more() {
    let line = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for shows in ["import cursor --dry-run", "trust --list", "mcp trust --list"] {
        assert!(may_have_it_done(&verb_of(&line(shows))).is_some(), "{shows}");
    }
    let changes = ["import cursor", "trust", "connect codex --dry-run", "pins lock", "disable a"];
    for changes in changes {
        assert!(may_have_it_done(&verb_of(&line(changes))).is_none(), "{changes}");
    }
}

#[test]
fn what_is_asked_about_names_the_verb() {
    let wish = |words: &[&str]| {
        wish(&verb_of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()))
    };
    assert_eq!(wish(&["approve", "x"]).verb, "approve");
    assert_eq!(wish(&["add-json", "x", "{}"]).verb, "addjson");
    assert!(wish(&["serve"]).is_for_services);
    assert!(!wish(&["stop"]).is_for_services);
}
