//! `toolgate completions <shell>`: the script of a shell, which asks this program for what is configured.
//!
//! The library that writes it knows fixed words only. So each argument that names something gets one
//! word here, and in the script that word becomes a question to the hidden verb `__complete`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;
use toolgate_terminal::CommandOutput;

use crate::args::{CommandLineArgs, NameKind};
use crate::failure::{CliFailure, CommandResult, Exit};

pub(crate) fn run(shell: Shell, output: &mut CommandOutput) -> CommandResult {
    let mut script = Vec::new();
    let mut command = marked(CommandLineArgs::command(), "");
    clap_complete::generate(shell, &mut command, "toolgate", &mut script);
    let script = String::from_utf8(script).map_err(CliFailure::new)?;
    let mut script = without_hidden(&script, &command);
    for kind in NameKind::ALL {
        script = asking(&script, shell, kind, &command);
    }
    output.raw(&script);
    Ok(Exit::Ok)
}

/// The library offers hidden verbs too. Where bash lists them they are words among others; the other
/// shells have a line for each.
fn without_hidden(script: &str, command: &Command) -> String {
    let hidden: Vec<&str> = command
        .get_subcommands()
        .filter(|verb| verb.is_hide_set())
        .map(Command::get_name)
        .collect();
    let is_offer = |line: &&str| {
        let starts = |name: &&str| {
            line.starts_with(&format!("'{name}:")) || line.contains(&format!("-a \"{name}\""))
        };
        hidden.iter().any(starts)
    };
    let kept = script.split_inclusive('\n').filter(|line| !is_offer(line));
    hidden
        .iter()
        .fold(kept.collect::<String>(), |script, name| script.replace(&format!(" {name} "), " "))
}

/// What an argument names, by the verb that it belongs to.
fn kind_of(verb: &str, argument: &Arg) -> Option<NameKind> {
    match (verb, argument.get_id().as_str()) {
        // What is not there yet cannot be known.
        ("add" | "add-json" | "create", "id" | "name") => None,
        ("trust", "ids") | (_, "id" | "server") => Some(NameKind::Servers),
        (_, "role" | "roles") => Some(NameKind::Roles),
        ("call" | "explain" | "show", "name") => Some(NameKind::Tools),
        ("revoke", "name") => Some(NameKind::Tokens),
        ("connect" | "disconnect", "client") => Some(NameKind::Clients),
        _ => None,
    }
}

fn marked(command: Command, verb: &str) -> Command {
    let command = command.mut_args(|argument| match kind_of(verb, &argument) {
        Some(kind) => argument.value_parser(PossibleValuesParser::new([kind.mark()])),
        None => argument,
    });
    command.mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        marked(verb, &name)
    })
}

/// The script with a question in the place of each mark.
fn asking(script: &str, shell: Shell, kind: NameKind, command: &Command) -> String {
    let (mark, word) = (kind.mark(), kind.as_str());
    let question = format!("toolgate __complete {word} 2>/dev/null");
    match shell {
        Shell::Bash => script.replace(mark, &format!("$({question})")),
        Shell::Zsh => {
            let function = format!("_toolgate_{word}");
            let body = format!("{function}() {{ compadd -- ${{(f)\"$({question})\"}} }}\n");
            let asked = script.replace(&format!("({mark})"), &function);
            // Beside the other functions, before it is decided how the script was loaded.
            asked.replacen("_toolgate() {", &format!("{body}\n_toolgate() {{"), 1)
        }
        Shell::Fish => {
            let asked = script.replace(&format!("\"{mark}\\t''\""), &format!("\"({question})\""));
            let verbs = command.get_subcommands().filter(|verb| {
                let mut named = verb.get_positionals();
                named.any(|argument| kind_of(verb.get_name(), argument) == Some(kind))
            });
            let lines = verbs.map(|verb| {
                let name = verb.get_name();
                let when = format!("__fish_toolgate_using_subcommand {name}");
                format!("complete -c toolgate -n \"{when}\" -f -a \"({question})\"\n")
            });
            asked + &lines.collect::<String>()
        }
        _ => script.replace(mark, ""),
    }
}
