//! The parameters that `args` and `allow_dash` name: each is one of the input schema.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use toolgate_types::ConfigText;
use toolgate_types::config::ArgTemplate;
use toolgate_types::{did_you_mean, visible};

use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::reader::DocumentReader;

#[derive(Deserialize)]
struct SchemaProperties {
    #[serde(default)]
    properties: BTreeMap<String, IgnoredAny>,
}

pub(super) fn check(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    schema: Option<&str>,
    args: &[ConfigText],
    allow_dash: &[String],
) {
    let read = schema.and_then(|schema| serde_json::from_str::<SchemaProperties>(schema).ok());
    let known: BTreeSet<String> =
        read.map(|read| read.properties.into_keys().collect()).unwrap_or_default();
    let args_at = place.at(&["args"]);
    for (index, arg) in args.iter().enumerate() {
        let at = args_at.item(index);
        let template = match ArgTemplate::parse(arg.written()) {
            Ok(template) => template,
            Err(error) => {
                reader.error(&at, "unknown-parameter", error.to_string());
                continue;
            }
        };
        // What a variable holds is text, whatever it looks like.
        if ArgTemplate::parse(arg.expose()).as_ref().map(names) != Ok(names(&template)) {
            let message = "the value of a variable changes which parameters are named".to_owned();
            let help = "a value with `{{` in it cannot be an argument; pass it under `env`";
            reader.report(
                Severity::Error,
                &at,
                "unknown-parameter",
                message,
                Some(help.to_owned()),
            );
        }
        for name in template.parameters() {
            is_known(reader, &at, name, &known);
        }
    }
    let dash_at = place.at(&["allow_dash"]);
    for (index, name) in allow_dash.iter().enumerate() {
        is_known(reader, &dash_at.item(index), name, &known);
    }
}

fn names<'a>(template: &ArgTemplate<'a>) -> Vec<&'a str> {
    template.parameters().collect()
}

fn is_known(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    name: &str,
    known: &BTreeSet<String>,
) {
    if known.contains(name) {
        return;
    }
    let message = format!("`input_schema` has no parameter `{}`", visible(name));
    let help = did_you_mean(name, known.iter().map(String::as_str));
    let help = help.unwrap_or_else(|| "name it under `input_schema.properties`".to_owned());
    reader.report(Severity::Error, at, "unknown-parameter", message, Some(help));
}
