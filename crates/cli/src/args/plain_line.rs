//! What programs write again and again, read without the parser that knows every verb: `toolgate stdio …` as
//! clients have it, `toolgate serve`, and `toolgate __daemon`, which a shim starts.
//!
//! Each window has a process of its own for as long as it is open, and that parser with all its help is
//! most of what such a process would hold; whoever waits for a gate waits for the parser too.
//! Whatever is not written plainly here, and whatever is wrong, is left to the parser, which says the same of
//! what both understand.

use std::ffi::OsString;

use super::step::StepArgs;
use super::{CommandLineArgs, CommonArgs, ServeArgs, StdioArgs, TopVerb, Verb};

/// The verbs that have options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlainVerb {
    Stdio,
    Serve,
}

impl PlainVerb {
    fn of(word: &str) -> Option<Self> {
        match word {
            "stdio" => Some(Self::Stdio),
            "serve" => Some(Self::Serve),
            _ => None,
        }
    }
}

/// The options that have a value, each given once, and the verb that has them; one is all verbs'.
const VALUED: [(&str, Option<PlainVerb>); 7] = [
    ("--config", None),
    ("--listen", Some(PlainVerb::Serve)),
    ("--role", Some(PlainVerb::Stdio)),
    ("--workflow", Some(PlainVerb::Stdio)),
    ("--step", Some(PlainVerb::Stdio)),
    ("--bundles", Some(PlainVerb::Stdio)),
    ("--client", Some(PlainVerb::Stdio)),
];

/// The values, in the order of the names.
type GivenValues = [Option<String>; VALUED.len()];

/// Reads the arguments of a process, its own name first.
pub(super) fn plain_line(arguments: impl Iterator<Item = OsString>) -> Option<CommandLineArgs> {
    let mut words = arguments.skip(1).map(|word| word.into_string().ok()).peekable();
    if words.next_if(|word| word.as_deref() == Some("__daemon")).is_some() {
        let verb = TopVerb::Verb(Verb::Daemon);
        return words
            .next()
            .is_none()
            .then(|| CommandLineArgs { common: CommonArgs::default(), verb });
    }
    let mut given = GivenValues::default();
    let (mut verb, mut json) = (None, false);
    while let Some(word) = words.next() {
        let word = word?;
        if let (None, Some(known)) = (verb, PlainVerb::of(&word)) {
            verb = Some(known);
            continue;
        }
        if word == "--json" && !json {
            json = true;
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (word, words.next()??),
        };
        // What looks like another option, or like nothing, is for the parser to judge.
        let is_plain = !value.is_empty() && !value.starts_with('-');
        let place = VALUED.iter().position(|(known, _)| *known == name).filter(|_| is_plain)?;
        // Before the verb there is only what all verbs have.
        let is_here = VALUED[place].1.is_none_or(|of| verb == Some(of));
        if !is_here || given.get_mut(place)?.replace(value).is_some() {
            return None;
        }
    }
    understood(verb?, json, given)
}

fn understood(verb: PlainVerb, json: bool, given: GivenValues) -> Option<CommandLineArgs> {
    let [config, listen, role, workflow, step, bundles, client] = given;
    let verb = match verb {
        PlainVerb::Stdio => {
            let at = StepArgs::whole(role.is_some(), workflow, step, bundles.as_deref())?;
            Verb::Stdio(StdioArgs { role, at, client, standalone: false })
        }
        PlainVerb::Serve => {
            let listen = listen.map(|address| address.parse()).transpose().ok()?;
            Verb::Serve(ServeArgs { listen, auth: None, naming: None, step_bundles: Vec::new() })
        }
    };
    let common = CommonArgs { config: config.map(Into::into), json, ..CommonArgs::default() };
    Some(CommandLineArgs { common, verb: TopVerb::Verb(verb) })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        line.split(' ').map(OsString::from)
    }

    /// Both readings of a line, as far as there are any.
    fn readings(line: &str) -> (Option<String>, Option<String>) {
        let shown = |read: CommandLineArgs| format!("{read:?}");
        let parsed = CommandLineArgs::try_parse_from(words(line)).ok();
        (plain_line(words(line)).map(shown), parsed.map(shown))
    }

    #[test]
    fn what_clients_write_is_read_as_the_parser_reads_it() {
        for line in [
            "toolgate stdio",
            "/opt/toolgate stdio --client codex",
            "toolgate --config a.toml stdio --client=codex",
            "toolgate --config=a=b stdio",
            "toolgate stdio --role reviewer --config /x/y.toml",
            "toolgate stdio --role r --workflow w --step s",
            "toolgate stdio --step s --workflow w --role r --bundles a,b",
            "toolgate stdio --role stdio",
            "toolgate stdio --json",
            "toolgate serve",
            "toolgate serve --json --listen 127.0.0.1:0",
            "toolgate --json --config a.toml serve --listen=[::1]:8",
            "toolgate __daemon",
        ] {
            let (plain, parsed) = readings(line);
            assert!(plain.is_some() && plain == parsed, "{line}: {plain:?} {parsed:?}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_parser() {
        for line in [
            "toolgate",
            "toolgate list",
            "toolgate mcp stdio",
            "toolgate stdio --standalone",
            "toolgate stdio --help",
            "toolgate stdio --client",
            "toolgate stdio --client a --client b",
            "toolgate stdio --client --role",
            "toolgate stdio --client=",
            "toolgate stdio stdio",
            "toolgate stdio --workflow w",
            "toolgate stdio --role r --step s",
            "toolgate stdio --role r --bundles a",
            "toolgate stdio --verbose",
            "toolgate stdio --unknown x",
            "toolgate --client codex stdio",
            "toolgate add stdio --config x",
            "toolgate stdio --listen 127.0.0.1:0",
            "toolgate --listen 127.0.0.1:0 serve",
            "toolgate serve --listen here",
            "toolgate serve --listen 127.0.0.1:0 --listen 127.0.0.1:0",
            "toolgate serve --role r",
            "toolgate serve --auth none",
            "toolgate serve --json --json",
            "toolgate serve --json=true",
            "toolgate serve serve",
            "toolgate serve stdio",
            "toolgate mcp serve",
            "toolgate __daemon stdio",
            "toolgate __daemon --config x",
            "toolgate --config x __daemon",
        ] {
            assert_eq!(readings(line).0, None, "{line}");
        }
    }

    /// Every word a client may write, in every order of up to three: what is read here is never read
    /// otherwise by the parser.
    #[test]
    fn no_line_means_two_things() {
        let parts = [
            "stdio",
            "--role",
            "--role=r",
            "--workflow=w",
            "--step",
            "--bundles=a,b,",
            "--client=c",
            "x",
            "--config",
            "--standalone",
            "--",
            "-q",
            "__daemon",
            "serve",
            "--listen",
            "--listen=127.0.0.1:0",
            "--json",
        ];
        let mut lines = vec!["toolgate".to_owned()];
        let mut read = 0;
        for _ in 0..3 {
            lines = lines
                .iter()
                .flat_map(|line| parts.iter().map(move |part| format!("{line} {part}")))
                .collect();
            for line in &lines {
                if plain_line(words(line)).is_some() {
                    let (plain, parsed) = readings(line);
                    assert_eq!(plain, parsed, "{line}");
                    read += 1;
                }
            }
        }
        assert!(read > 10, "{read}");
    }
}
