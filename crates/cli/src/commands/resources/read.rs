//! `toolgate resources read <server> <uri>`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_daemon::{Carried, CarryJob};

use crate::args::Carrying;
use crate::carry::carry_out;
use crate::failure::{Done, Exit};
use crate::media::Folder;
use crate::output::Output;
use crate::parts::{of_content, shown};
use crate::surroundings::Surroundings;

pub(super) fn run(
    server: &str,
    uri: &str,
    carrying: &Carrying,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Done {
    let job = CarryJob::Read { uri: uri.to_owned() };
    let Carried { result, correlation, .. } =
        carry_out(server, job, carrying, surroundings, output)?;
    if output.json {
        output.document_of(&Document { server, uri, result: &result });
        return Ok(Exit::Ok);
    }
    let contents = serde_json::from_str::<Contents<'_>>(result.get());
    let contents = contents.map_or(&*result, |read| read.contents);
    let mut folder = Folder::new(carrying.out.as_deref(), &correlation);
    for part in of_content(contents) {
        output.words(&shown(&part, &mut folder)?);
    }
    Ok(Exit::Ok)
}

#[derive(Deserialize)]
struct Contents<'a> {
    #[serde(borrow)]
    contents: &'a RawValue,
}

#[derive(Serialize)]
struct Document<'a> {
    server: &'a str,
    uri: &'a str,
    result: &'a RawValue,
}
