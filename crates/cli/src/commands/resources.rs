//! `toolgate resources`: list them, read one.

mod read;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_types::{ListKind, visible};

use crate::args::ResourcesVerb;
use crate::failure::Done;
use crate::listing::{List, Missing, emptiness, list, one_line, report};
use crate::output::{Output, table};
use crate::surroundings::Surroundings;

pub(crate) fn run(verb: &ResourcesVerb, surroundings: &Surroundings, output: &mut Output) -> Done {
    match verb {
        ResourcesVerb::List { listing, templates } => {
            let only = listing.server.as_deref();
            print_list(only, *templates, surroundings, output)
        }
        ResourcesVerb::Read { server, uri, carrying } => {
            read::run(server, uri, carrying, surroundings, output)
        }
    }
}

/// One of the two lists: the one that was not asked for is absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<Resource<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_templates: Option<Vec<Template<'a>>>,
    servers: &'a [Missing],
}

#[derive(Serialize)]
struct Resource<'a> {
    server: &'a str,
    uri: &'a str,
    definition: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Template<'a> {
    server: &'a str,
    uri_template: &'a str,
    definition: &'a RawValue,
}

fn print_list(
    only: Option<&str>,
    templates: bool,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let (kind, title) = match templates {
        true => (ListKind::ResourceTemplates, "template"),
        false => (ListKind::Resources, "uri"),
    };
    let List { found, missing, is_any_listed } = list(kind, only, surroundings, output)?;
    let rows = || found.iter().map(|one| (one.server.as_str(), &*one.definition));
    if output.json {
        let document = Document {
            resources: (!templates).then(|| {
                let all = rows().map(|(server, one)| Resource {
                    server,
                    uri: &one.key,
                    definition: &one.raw,
                });
                all.collect()
            }),
            resource_templates: templates.then(|| {
                let all = rows().map(|(server, one)| Template {
                    server,
                    uri_template: &one.key,
                    definition: &one.raw,
                });
                all.collect()
            }),
            servers: &missing,
        };
        output.document_of(&document);
    } else if !found.is_empty() {
        let cells = rows().map(|(server, one)| {
            let words = one.description.as_deref().or(one.title.as_deref());
            vec![server.to_owned(), visible(&one.key), one_line(words)]
        });
        output.raw(&table(&["server", title, "description"], &cells.collect::<Vec<_>>()));
    } else if let Some(line) = emptiness("resources", &missing, is_any_listed) {
        output.line(line);
    }
    report(&missing, only.is_some(), is_any_listed, output)
}
