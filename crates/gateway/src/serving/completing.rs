//! Completion: of an argument of a prompt, or of a part of a template.

use std::pin::pin;

use serde_json::value::RawValue;
use toolgate_host::Unmade;
use toolgate_types::{Operation, ServerId};
use toolgate_wire::{RawObject, Splice, Value};

use super::carrying::Seat;
use crate::respond::{self, About};
use crate::work::Reply;

impl Seat {
    pub(super) async fn complete(
        mut self,
        reference: Box<RawValue>,
        argument: Box<RawValue>,
        context: Option<Box<RawValue>>,
    ) -> Reply {
        let Some((server, reference)) = self.meant(&reference).await else {
            let what = RawObject::parse(&reference).ok();
            let name = what.and_then(|what| what.text("name").or_else(|| what.text("uri")));
            let name = name.unwrap_or_default();
            let (options, _) = self.options();
            let unmade = Unmade::not_found("complete", &name);
            let error = self.place.served.host.record_unmade(unmade, &options).await;
            return respond::failure(&self.id, &error, About::Other, self.era);
        };
        let operation = Operation::Complete { reference, argument, context };
        let (options, said) = self.options();
        let host = self.place.served.host.clone();
        let outcome = self.attend(pin!(host.operate(&server, operation, options)), said).await;
        self.respond(outcome, About::Other, None)
    }

    /// Whose it is, and what that server calls it.
    async fn meant(&self, reference: &RawValue) -> Option<(ServerId, Box<RawValue>)> {
        let read = RawObject::parse(reference).ok()?;
        let host = &self.place.served.host;
        match read.text("type")?.as_ref() {
            "ref/prompt" => {
                let prompts = host.list_prompts(&self.place.audience).await;
                let found = prompts.resolve(&read.text("name")?)?;
                let mut own = Splice::of(&read);
                own.set("name", Value::text(&found.definition.key));
                Some((found.server.clone(), own.to_raw().ok()?))
            }
            "ref/resource" => {
                let uri = read.text("uri")?;
                let address = &self.place.audience.address;
                let place = host.find_template(address, &uri).await.ok()?;
                let mut own = Splice::of(&read);
                own.set("uri", Value::text(&place.uri));
                let own =
                    if place.uri == *uri { reference.to_owned() } else { own.to_raw().ok()? };
                Some((place.server, own))
            }
            _ => None,
        }
    }
}
