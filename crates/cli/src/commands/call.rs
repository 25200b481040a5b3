//! `toolgate call`: one call of one tool, from typed arguments to printed content.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{Carried, CarryJob};
use toolgate_host::tool_output;

use crate::args::Call;
use crate::call_arguments::read_arguments;
use crate::carry::carry_out;
use crate::failure::{Done, Exit};
use crate::media::Folder;
use crate::output::Output;
use crate::parts::shown;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &Call, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Call { server, tool, pairs, args, no_wait, carrying } = arguments;
    let given = read_arguments(pairs, args.as_deref(), surroundings)?;
    let job = CarryJob::Call { tool: tool.clone(), arguments: given, waits: !no_wait };
    let Carried { is_error, result, correlation } =
        carry_out(server, job, carrying, surroundings, output)?;
    if output.json {
        output.document_of(&Document { server, tool, is_error, result: &result });
    } else {
        let mut folder = Folder::new(carrying.out.as_deref(), &correlation);
        for part in tool_output(&toolgate_types::Done { is_error, result: result.0 }).parts {
            output.words(&shown(&part, &mut folder)?);
        }
    }
    if is_error {
        output.note("the tool says that it failed");
        return Ok(Exit::ToolError);
    }
    Ok(Exit::Ok)
}

#[derive(Serialize)]
struct Document<'a> {
    server: &'a str,
    tool: &'a str,
    #[serde(rename = "isError")]
    is_error: bool,
    result: &'a RawValue,
}
