//! What another process of this program was told to do, as far as that makes it a gate.

use clap::Parser as _;
use toolgate_daemon::GateVerb;

use crate::args::{CommandLineArgs, TopVerb, Verb};

/// What the verbs of gates are called. They have no other name.
const GATE_WORDS: [&str; 3] = ["stdio", "__daemon", "serve"];

/// Reads the arguments as that process reads them itself; what has none of those words in it is not read
/// at all, since most processes of this program are no gates and reading is dear.
pub(crate) fn gate_verb(arguments: &[String]) -> Option<GateVerb> {
    if !arguments.iter().any(|word| GATE_WORDS.contains(&word.as_str())) {
        return None;
    }
    let read = CommandLineArgs::plainly_of(arguments.iter().map(Into::into))
        .or_else(|| CommandLineArgs::try_parse_from(arguments).ok())?;
    let (TopVerb::Verb(verb) | TopVerb::Mcp { verb }) = read.verb;
    match verb {
        Verb::Stdio(_) => Some(GateVerb::Stdio),
        Verb::Daemon => Some(GateVerb::Daemon),
        Verb::Serve(_) => Some(GateVerb::Serve),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// A verb that had another name, or could be cut short, would be a gate that nobody sees.
    #[test]
    fn a_gates_verb_has_one_name_and_is_written_out() {
        let mut all = CommandLineArgs::command();
        all.build();
        let mcp = all.find_subcommand("mcp").unwrap();
        for word in GATE_WORDS {
            for short in (1..word.len()).map(|end| &word[..end]) {
                assert!(CommandLineArgs::try_parse_from(["toolgate", short]).is_err(), "{short}");
            }
            for command in [&all, mcp] {
                let verb = command.find_subcommand(word).unwrap();
                assert_eq!((verb.get_name(), verb.get_all_aliases().count()), (word, 0));
                let flags = (verb.get_short_flag(), verb.get_long_flag());
                assert_eq!(flags, (None, None));
                assert_eq!(verb.get_all_short_flag_aliases().count(), 0);
                assert_eq!(verb.get_all_long_flag_aliases().count(), 0);
            }
        }
    }

    #[test]
    fn what_a_process_does_is_read_as_it_reads_it_itself() {
        let verb = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            gate_verb(&words)
        };
        for line in ["toolgate stdio", "x --config a stdio --client c", "toolgate mcp stdio"] {
            assert_eq!(verb(line), Some(GateVerb::Stdio), "{line}");
        }
        assert_eq!(verb("toolgate __daemon"), Some(GateVerb::Daemon));
        assert_eq!(verb("toolgate serve"), Some(GateVerb::Serve));
        let none = [
            "x list",
            "toolgate add a --transport stdio --command x",
            "toolgate stdio --help",
            "toolgate",
        ];
        for line in none {
            assert_eq!(verb(line), None, "{line}");
        }
    }
}
