//! The first page of help: what Toolgate is, and its verbs in the order in which one needs them.

use clap::Command;
use toolgate_control::CommandExit;

/// Every verb that can be typed stands in one of these.
const GROUPS: [(&str, &[&str]); 7] = [
    ("First steps", &["demo", "init"]),
    (
        "Servers",
        &[
            "add", "add-json", "import", "list", "get", "remove", "enable", "disable", "test",
            "login", "logout", "auth",
        ],
    ),
    ("Agents", &["connect", "disconnect", "serve", "stdio", "server", "token", "use", "off", "on"]),
    ("What servers have", &["tools", "call", "explain", "resources", "prompts"]),
    (
        "What is allowed",
        &["trust", "pins", "approvals", "approve", "deny", "policy", "sandbox", "audit"],
    ),
    ("The daemon", &["status", "restart", "stop", "logs"]),
    (
        "Toolgate itself",
        &["config", "secret", "doctor", "uninstall", "completions", "man", "mcp", "help"],
    ),
];

const WHAT_IT_IS: &str = "\
Toolgate is the one gate between coding agents and every tool they reach over MCP. It runs your
servers once for all agents, shows each agent what you allow, asks you before anything that you did
not allow, and keeps a record of every call.

Begin with a server and an agent:
  toolgate add docs https://example.com/mcp
  toolgate connect codex";

/// The same command, with its verbs in groups on the first page of help.
pub(crate) fn in_groups(command: Command) -> Command {
    let mut pages = String::new();
    for (title, verbs) in GROUPS {
        pages.push_str(&format!("{title}:\n"));
        for name in verbs {
            let verb = command.get_subcommands().find(|verb| verb.get_name() == *name);
            let about = verb.and_then(Command::get_about).map(ToString::to_string);
            let about = match (about, *name) {
                (Some(about), _) => about,
                (None, _) => "Print this page, or that of a command".to_owned(),
            };
            let alias = verb.and_then(|verb| verb.get_visible_aliases().next());
            let name = alias.map_or_else(|| (*name).to_owned(), |alias| format!("{name}, {alias}"));
            // The rest of the sentence is on the verb's own page.
            let about = about.split(';').next().unwrap_or_default();
            pages.push_str(&format!("  {name:<12} {about}\n"));
        }
        pages.push('\n');
    }
    let template = format!(
        "{{before-help}}{WHAT_IT_IS}\n\n{{usage-heading}} {{usage}}\n\n{pages}{{all-args}}{{after-help}}"
    );
    // They are on the page already.
    let command = command.mut_subcommands(|verb| verb.hide(true));
    let command = command.override_usage("toolgate [OPTIONS] <COMMAND>");
    command.help_template(template).after_long_help(exit_codes())
}

/// How a run ends, for whoever starts it from a script.
fn exit_codes() -> String {
    let rows =
        CommandExit::MEANINGS.map(|(exit, meaning)| format!("  {:<4} {meaning}", exit as u8));
    format!("Exit codes:\n{}", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::CommandLineArgs;

    #[test]
    fn every_verb_stands_in_one_group() {
        let command = CommandLineArgs::command();
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut typed: Vec<&str> = verbs.map(Command::get_name).chain(["help"]).collect();
        typed.sort_unstable();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| *verbs).copied().collect();
        grouped.sort_unstable();
        assert_eq!(grouped, typed);
    }

    /// The table of README is the one that counts.
    #[test]
    fn readme_has_every_exit_code() {
        let readme = include_str!("../../../../README.md");
        for (exit, meaning) in CommandExit::MEANINGS {
            let row = format!("| {} | {meaning} |", exit as u8);
            assert!(readme.contains(&row), "{row}");
        }
    }
}
