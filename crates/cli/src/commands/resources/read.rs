//! `toolgate resources read <server> <uri>`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_daemon::{CarriedCall, CarryJob};
use toolgate_terminal::{CommandOutput, MediaFolder, part_text, parts_of_content};

use crate::args::CarryArgs;
use crate::carry::carry_out;
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

pub(super) fn run(
    server: &str,
    uri: &str,
    carrying: &CarryArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let job = CarryJob::Read { uri: uri.to_owned() };
    let CarriedCall { result, correlation, .. } =
        carry_out(Some(server), job, carrying, surroundings, output)?;
    if output.json {
        output.document_of(&ResourceReadJson { server, uri, result: &result });
        return Ok(Exit::Ok);
    }
    let contents = serde_json::from_str::<ResourceContents<'_>>(result.get());
    let contents = contents.map_or(&*result, |read| read.contents);
    let mut folder = MediaFolder::new(carrying.out.as_deref(), &correlation);
    for part in parts_of_content(contents) {
        output.words(&part_text(&part, &mut folder)?);
    }
    Ok(Exit::Ok)
}

#[derive(Deserialize)]
struct ResourceContents<'a> {
    #[serde(borrow)]
    contents: &'a RawValue,
}

#[derive(Serialize)]
struct ResourceReadJson<'a> {
    server: &'a str,
    uri: &'a str,
    result: &'a RawValue,
}
