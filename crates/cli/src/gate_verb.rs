//! What another process of this program was told to do, as far as that makes it a gate.

use clap::Parser as _;
use toolgate_daemon::GateVerb;

use crate::args::{CommandLineArgs, TopVerb, Verb};

/// Reads the arguments as that process reads them itself.
pub(crate) fn gate_verb(arguments: &[String]) -> Option<GateVerb> {
    let (TopVerb::Verb(verb) | TopVerb::Mcp { verb }) =
        CommandLineArgs::try_parse_from(arguments).ok()?.verb;
    match verb {
        Verb::Stdio(_) => Some(GateVerb::Stdio),
        Verb::Daemon => Some(GateVerb::Daemon),
        Verb::Serve(_) => Some(GateVerb::Serve),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
