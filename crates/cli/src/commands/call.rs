//! `toolgate call`: one call of one tool, from typed arguments to printed content.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_host::{Call as HostCall, Options, Target, tool_output};
use toolgate_types::{ListKind, Outcome, ServerId};

use crate::args::Call;
use crate::arguments::Arguments;
use crate::carrying::{Carried, Doer, NotDone, carry_out};
use crate::failure::{Done, Exit};
use crate::hosting::Hosted;
use crate::media::Folder;
use crate::output::Output;
use crate::parts::shown;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: &Call, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Call { server, tool, pairs, args, carrying } = arguments;
    let given = Arguments::read(pairs, args.as_deref(), surroundings)?;
    let doer = Doer { server, tool: Some(tool) };
    let carried = carry_out(doer, carrying, surroundings, output, async |hosted, id, options| {
        call(hosted, id, tool, &given, options).await
    });
    let Carried { is_error, result, correlation } = carried?;
    if output.json {
        output.document_of(&Document { server, tool, is_error, result: &result });
    } else {
        let mut folder = Folder::new(carrying.out.as_deref(), &correlation);
        for part in tool_output(&toolgate_types::Done { is_error, result }).parts {
            output.words(&shown(&part, &mut folder)?);
        }
    }
    if is_error {
        output.note("the tool says that it failed");
        return Ok(Exit::ToolError);
    }
    Ok(Exit::Ok)
}

async fn call(
    hosted: &Hosted,
    server: &ServerId,
    tool: &str,
    given: &Arguments,
    options: Options,
) -> Result<Outcome, NotDone> {
    let schema = match given.want_a_schema() {
        true => {
            let found = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server));
            let found = hosted.unless_interrupted(found).await?;
            let mut found = found.into_iter().map(|found| found.definition);
            found.find(|definition| definition.key == tool)
        }
        false => None,
    };
    let schema = schema.as_ref().and_then(|definition| definition.input_schema.as_deref());
    let target = Target::exact(server.clone(), tool.to_owned());
    let call = HostCall::new(target).arguments(given.object(schema)?).options(options);
    Ok(hosted.host.call(call).await?)
}

#[derive(Serialize)]
struct Document<'a> {
    server: &'a str,
    tool: &'a str,
    #[serde(rename = "isError")]
    is_error: bool,
    result: &'a RawValue,
}
