//! A program of the person's own that gives tokens, and the servers that it gives them for.

use toolgate_types::config::{TokenCommand, WebOrigin};

use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::RawAuthProvider;
use crate::reader::DocumentReader;

pub(crate) fn auth_provider(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawAuthProvider,
) -> Option<TokenCommand> {
    let RawAuthProvider { command, origins } = raw;
    let before = reader.errors();
    let command_at = place.at(&["command"]);
    let mut words = Vec::new();
    for word in command.unwrap_or_default() {
        words.extend(reader.text(&command_at, word));
    }
    let mut words = words.into_iter();
    let program = words.next().filter(|program| !program.expose().trim().is_empty());
    if program.is_none() && reader.errors() == before {
        let message = "the `command` is missing".to_owned();
        let help = Some("name the program and its arguments: `command = [\"…\"]`".to_owned());
        reader.report(Severity::Error, &command_at, "missing-command", message, help);
    }
    let origins_at = place.at(&["origins"]);
    let mut meant = Vec::new();
    for written in origins.unwrap_or_default() {
        match WebOrigin::parse(&written) {
            Ok(origin) => meant.push(origin),
            Err(error) => reader.error(&origins_at, "provider-origin", error.to_string()),
        }
    }
    if meant.is_empty() && reader.errors() == before {
        let message = "nobody is named who may have its tokens".to_owned();
        let help = Some("name the servers: `origins = [\"https://mcp.example.com\"]`".to_owned());
        reader.report(Severity::Error, &origins_at, "provider-origin", message, help);
    }
    let args = words.collect();
    let provider = TokenCommand { program: program?, args, origins: meant };
    (reader.errors() == before).then_some(provider)
}
