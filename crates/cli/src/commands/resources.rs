//! `toolgate resources`: list them, read one.

mod read;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{FindThings, FoundThings, ThingKind};
use toolgate_terminal::{CommandOutput, one_line, table};
use toolgate_types::visible;

use crate::args::{ListingArgs, ResourcesVerb};
use crate::errand::{self, ErrandPlace};
use crate::failure::CommandResult;
use crate::list_lines::{MissingServer, emptiness, refuse_missing, report};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    verb: &ResourcesVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match verb {
        ResourcesVerb::List { listing, templates } => {
            print_list(listing, *templates, surroundings, output)
        }
        ResourcesVerb::Read { server, uri, carrying } => {
            read::run(server, uri, carrying, surroundings, output)
        }
    }
}

/// One of the two lists: the one that was not asked for is absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourcesJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<ResourceRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_templates: Option<Vec<TemplateRow<'a>>>,
    servers: &'a [MissingServer],
}

#[derive(Serialize)]
struct ResourceRow<'a> {
    server: &'a str,
    uri: &'a str,
    definition: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TemplateRow<'a> {
    server: &'a str,
    uri_template: &'a str,
    definition: &'a RawValue,
}

fn print_list(
    listing: &ListingArgs,
    templates: bool,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let (kind, title) = match templates {
        true => (ThingKind::ResourceTemplates, "template"),
        false => (ThingKind::Resources, "uri"),
    };
    let errand = FindThings { kind, only: listing.server.clone() };
    let place = ErrandPlace::new(listing.standalone);
    let FoundThings { found, missing, is_any_listed } =
        errand::run(&errand, place, surroundings, output)??;
    refuse_missing(&missing, errand.only.is_some())?;
    if output.json {
        let document = ResourcesJson {
            resources: (!templates).then(|| {
                let all = found.iter().map(|one| ResourceRow {
                    server: &one.server,
                    uri: &one.key,
                    definition: &one.definition,
                });
                all.collect()
            }),
            resource_templates: templates.then(|| {
                let all = found.iter().map(|one| TemplateRow {
                    server: &one.server,
                    uri_template: &one.key,
                    definition: &one.definition,
                });
                all.collect()
            }),
            servers: &missing,
        };
        output.document_of(&document);
    } else if !found.is_empty() {
        let cells = found.iter().map(|one| {
            let words = one.description.as_deref().or(one.title.as_deref());
            vec![one.server.clone(), visible(&one.key), one_line(words.unwrap_or_default())]
        });
        output.raw(&table(&["server", title, "description"], &cells.collect::<Vec<_>>()));
    } else if let Some(line) = emptiness("resources", &missing, is_any_listed) {
        output.line(line);
    }
    report(&missing, is_any_listed, output)
}
