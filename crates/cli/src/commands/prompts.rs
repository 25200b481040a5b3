//! `toolgate prompts`: list them, use one. A prompt runs because a person chose it.

mod get;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_daemon::{FindThings, FoundThing, FoundThings, ThingKind};
use toolgate_terminal::{CommandOutput, one_line, table};
use toolgate_types::visible;

use crate::args::{ListingArgs, PromptsVerb};
use crate::errand::{self, ErrandPlace};
use crate::failure::CommandResult;
use crate::list_lines::{MissingServer, emptiness, refuse_missing, report};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: &PromptsVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match verb {
        PromptsVerb::List { listing } => print_list(listing, surroundings, output),
        PromptsVerb::Get { server, name, pairs, carrying } => {
            let prompt = get::PromptRequest { server, name, pairs };
            get::run(&prompt, carrying, surroundings, output)
        }
    }
}

#[derive(Serialize)]
struct PromptsJson<'a> {
    prompts: Vec<PromptRow<'a>>,
    servers: &'a [MissingServer],
}

#[derive(Serialize)]
struct PromptRow<'a> {
    server: &'a str,
    name: &'a str,
    description: Option<&'a str>,
    definition: &'a RawValue,
}

fn print_list(
    listing: &ListingArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let errand = FindThings { kind: ThingKind::Prompts, only: listing.server.clone() };
    let place = ErrandPlace::new(listing.standalone);
    let FoundThings { found, missing, is_any_listed } =
        errand::run(&errand, place, surroundings, output)??;
    refuse_missing(&missing, errand.only.is_some())?;
    if output.json {
        let prompts = found.iter().map(|one| PromptRow {
            server: &one.server,
            name: &one.key,
            description: one.description.as_deref(),
            definition: &one.definition,
        });
        output.document_of(&PromptsJson { prompts: prompts.collect(), servers: &missing });
    } else if !found.is_empty() {
        let cells = found.iter().map(|one| {
            let words = one.description.as_deref().or(one.title.as_deref());
            vec![
                one.server.clone(),
                visible(&one.key),
                arguments(one),
                one_line(words.unwrap_or_default()),
            ]
        });
        let header = ["server", "name", "arguments", "description"];
        output.raw(&table(&header, &cells.collect::<Vec<_>>()));
    } else if let Some(line) = emptiness("prompts", &missing, is_any_listed) {
        output.line(line);
    }
    report(&missing, is_any_listed, output)
}

/// The names of a prompt's arguments; those in brackets may be left out.
fn arguments(prompt: &FoundThing) -> String {
    #[derive(Deserialize)]
    struct Prompt {
        arguments: Option<Vec<Argument>>,
    }
    #[derive(Deserialize)]
    struct Argument {
        name: String,
        #[serde(default)]
        required: bool,
    }
    let read = serde_json::from_str::<Prompt>(prompt.definition.get()).ok();
    let arguments = read.and_then(|prompt| prompt.arguments).unwrap_or_default();
    let names = arguments.iter().map(|Argument { name, required }| match required {
        true => visible(name),
        false => format!("[{}]", visible(name)),
    });
    names.collect::<Vec<_>>().join(" ")
}
