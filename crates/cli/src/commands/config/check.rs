//! `toolgate config check`: every problem of the configuration, together.

use serde_json::{Map, Value, json};
use toolgate_assembly::literal_credentials;
use toolgate_config::{McpConfigLoadResult, Problem, Severity, load, unset_variables};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::visible;

use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(super) fn run(
    strict: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut options = surroundings.options();
    options.strict = strict;
    let mut loaded = load(&options);
    let unset = unset_variables(&loaded.config, &options.env);
    loaded.problems.extend(unset.into_iter().chain(literal_credentials(&loaded)));
    let errors = loaded.problems.iter().filter(|p| p.severity == Severity::Error).count();
    if output.json {
        let mut fields = Map::new();
        fields.insert("ok".into(), (errors == 0).into());
        fields.insert("problems".into(), all(&loaded).map(as_json).collect());
        output.document(fields);
    } else {
        for problem in all(&loaded) {
            output.raw(&format!("{}\n", shown(problem)));
        }
        output.line(summary(&loaded, errors));
    }
    Ok(if errors == 0 { Exit::Ok } else { Exit::Error })
}

/// What is wrong, and then what nothing goes by yet.
fn all(loaded: &McpConfigLoadResult) -> impl Iterator<Item = &Problem> {
    loaded.problems.iter().chain(&loaded.not_yet)
}

/// A problem on its own lines; what a file said is made visible first.
pub(crate) fn shown(problem: &Problem) -> String {
    problem.to_string().split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

fn as_json(problem: &Problem) -> Value {
    json!({
        "severity": problem.severity.as_str(),
        "rule": problem.rule,
        "source": problem.source.to_string(),
        "key": problem.key,
        "line": problem.line,
        "message": problem.message,
        "help": problem.help,
    })
}

fn summary(loaded: &McpConfigLoadResult, errors: usize) -> String {
    let config = &loaded.config;
    let warnings = counted(all(loaded).count() - errors, "warning");
    if errors > 0 {
        return format!("{}, {warnings}", counted(errors, "error"));
    }
    let counts = [
        counted(config.servers.len(), "server"),
        counted(config.tools.len(), "tool"),
        counted(config.bundles.len(), "bundle"),
    ];
    let sources = counted(loaded.sources.len(), "source");
    format!("ok: {} from {sources}, {warnings}", counts.join(", "))
}
