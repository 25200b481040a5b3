//! `toolgate prompts get <server> <name>`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_daemon::{Carried, CarryJob, text_arguments};
use toolgate_types::visible;

use crate::args::Carrying;
use crate::carry::carry_out;
use crate::failure::{Done, Exit, Failure};
use crate::media::Folder;
use crate::output::Output;
use crate::parts::{of_content, shown};
use crate::surroundings::Surroundings;

/// Which prompt, with which arguments.
pub(super) struct Prompt<'a> {
    pub(super) server: &'a str,
    pub(super) name: &'a str,
    pub(super) pairs: &'a [String],
}

pub(super) fn run(
    prompt: &Prompt<'_>,
    carrying: &Carrying,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let Prompt { server, name, pairs } = *prompt;
    let arguments = text_arguments(pairs)?.map(Verbatim);
    let job = CarryJob::Prompt { name: name.to_owned(), arguments };
    let Carried { result, correlation, .. } =
        carry_out(server, job, carrying, surroundings, output)?;
    if output.json {
        output.document_of(&Document { server, prompt: name, result: &result });
        return Ok(Exit::Ok);
    }
    let Messages { messages } = serde_json::from_str(result.get())
        .map_err(|_| Failure::new("what the server gave has no messages"))?;
    let mut folder = Folder::new(carrying.out.as_deref(), &correlation);
    for Message { role, content } in messages {
        for part in of_content(content) {
            output.words(&format!("{}: {}", visible(&role), shown(&part, &mut folder)?));
        }
    }
    Ok(Exit::Ok)
}

#[derive(Deserialize)]
struct Messages<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    role: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Serialize)]
struct Document<'a> {
    server: &'a str,
    prompt: &'a str,
    result: &'a RawValue,
}
