//! `toolgate prompts get <server> <name>`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_daemon::{CarriedCall, CarryJob, text_arguments};
use toolgate_terminal::{CommandOutput, MediaFolder, part_text, parts_of_content};
use toolgate_types::visible;

use crate::args::CarryArgs;
use crate::carry::carry_out;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;

/// Which prompt, with which arguments.
pub(super) struct PromptRequest<'a> {
    pub(super) server: &'a str,
    pub(super) name: &'a str,
    pub(super) pairs: &'a [String],
}

pub(super) fn run(
    prompt: &PromptRequest<'_>,
    carrying: &CarryArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let PromptRequest { server, name, pairs } = *prompt;
    let arguments = text_arguments(pairs)?.map(Verbatim);
    let job = CarryJob::Prompt { name: name.to_owned(), arguments };
    let CarriedCall { result, correlation, .. } =
        carry_out(Some(server), job, carrying, surroundings, output)?;
    if output.json {
        output.document_of(&PromptGetJson { server, prompt: name, result: &result });
        return Ok(Exit::Ok);
    }
    let PromptMessages { messages } = serde_json::from_str(result.get())
        .map_err(|_| CliFailure::new("what the server gave has no messages"))?;
    let mut folder = MediaFolder::new(carrying.out.as_deref(), &correlation);
    for PromptMessage { role, content } in messages {
        for part in parts_of_content(content) {
            output.words(&format!("{}: {}", visible(&role), part_text(&part, &mut folder)?));
        }
    }
    Ok(Exit::Ok)
}

#[derive(Deserialize)]
struct PromptMessages<'a> {
    #[serde(borrow)]
    messages: Vec<PromptMessage<'a>>,
}

#[derive(Deserialize)]
struct PromptMessage<'a> {
    role: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Serialize)]
struct PromptGetJson<'a> {
    server: &'a str,
    prompt: &'a str,
    result: &'a RawValue,
}
