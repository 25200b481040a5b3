//! Completion: of an argument of a prompt, or of a part of a template.

use std::pin::pin;

use serde_json::value::RawValue;
use toolgate_host::UnmadeCall;
use toolgate_types::{Operation, ServerId};
use toolgate_wire::{ObjectSplice, RawObject, SpliceValue};

use super::carry::RequestContext;
use crate::respond::{self, FailureSubject};
use crate::work::RequestReply;

impl RequestContext {
    pub(super) async fn complete(
        mut self,
        reference: Box<RawValue>,
        argument: Box<RawValue>,
        context: Option<Box<RawValue>>,
    ) -> RequestReply {
        let Some((server, reference)) = self.meant(&reference).await else {
            let what = RawObject::parse(&reference).ok();
            let name = what.and_then(|what| what.text("name").or_else(|| what.text("uri")));
            let name = name.unwrap_or_default();
            let (options, _) = self.options();
            let unmade = UnmadeCall::not_found("complete", &name);
            let error = self.place.served.host.record_unmade(unmade, &options).await;
            return respond::failure(&self.id, &error, FailureSubject::Other, self.era);
        };
        let operation = Operation::Complete { reference, argument, context };
        let (options, said) = self.options();
        let host = self.place.served.host.clone();
        let outcome = self.attend(pin!(host.operate(&server, operation, options)), said).await;
        self.respond(outcome, FailureSubject::Other, None)
    }

    /// Whose it is, and what that server calls it.
    async fn meant(&self, reference: &RawValue) -> Option<(ServerId, Box<RawValue>)> {
        let read = RawObject::parse(reference).ok()?;
        let host = &self.place.served.host;
        match read.text("type")?.as_ref() {
            "ref/prompt" => {
                let found = host.find_prompt(&self.place.audience(), &read.text("name")?).await?;
                let mut own = ObjectSplice::of(&read);
                own.set("name", SpliceValue::text(&*found.definition.key));
                Some((found.server, own.to_raw().ok()?))
            }
            "ref/resource" => {
                let uri = read.text("uri")?;
                let address = &self.place.address();
                let place = host.find_template(address, &uri).await.ok()?;
                let mut own = ObjectSplice::of(&read);
                own.set("uri", SpliceValue::text(&place.uri));
                let own =
                    if place.uri == *uri { reference.to_owned() } else { own.to_raw().ok()? };
                Some((place.server, own))
            }
            _ => None,
        }
    }
}
