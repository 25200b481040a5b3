//! Requests of the modern era on a connection: each stands for itself, and only
//! `notifications/cancelled` ends it early.

use std::sync::Arc;

use toolgate_types::Era;
use toolgate_wire::{Request, method};

use super::client::LineClient;
use crate::modern::{ClientClaims, ModernRequest, WantedNews, discover};
use crate::refusal::RequestRefusal;
use crate::respond;

impl LineClient {
    pub(super) async fn take_modern(&mut self, request: &Request<'_>) {
        let id = request.id.to_buf();
        // There are no headers that could say something else.
        let (says, meta) = match ClientClaims::of(request, |_| Ok(())) {
            Ok(said) => said,
            Err(refusal) => return self.refuse(refusal.to(Some(id))).await,
        };
        let begun = match &*request.method {
            method::SERVER_DISCOVER => return self.say(discover(&self.place, &id)).await,
            method::SUBSCRIPTIONS_LISTEN => self.listen(request, says),
            _ => match ModernRequest::of(&self.shared, request, (says, meta)) {
                Ok(taken) => self.begin_modern(request, taken),
                Err(error) => return self.say(respond::unanswerable(&id, &error)).await,
            },
        };
        if let Err(refusal) = begun {
            self.refuse(refusal).await;
        }
    }

    fn begin_modern(
        &self,
        request: &Request<'_>,
        taken: ModernRequest,
    ) -> Result<(), RequestRefusal> {
        let id = request.id.to_buf();
        let permit = self.admit(&id)?;
        let under_way = self.requests.begin(id.clone());
        let (place, cancel) = (Arc::clone(&self.place), under_way.cancel.clone());
        let work = taken.carry_out(
            place,
            Some(&self.id),
            self.requester.clone(),
            Some(cancel),
            self.outlet(),
        );
        self.carry_out(permit, id, under_way, work);
        Ok(())
    }

    /// News go out between everything else, under the id of the request that wants them.
    fn listen(&self, request: &Request<'_>, says: ClientClaims) -> Result<(), RequestRefusal> {
        let wish = WantedNews::of(request, says)?;
        let id = request.id.to_buf();
        let permit = self.admit(&id)?;
        let under_way = self.requests.begin(id);
        let requester = (self.requester.clone(), None);
        let caller = self.place.caller(Era::Modern, Some(&self.id), None, requester);
        let (place, queue) = (Arc::clone(&self.place), self.queue.clone());
        let draining = self.shared.draining().clone();
        let news = self.queue.downgrade();
        let tell =
            move |message: Vec<u8>| drop(news.upgrade().map(|news| news.try_send(message.into())));
        tokio::spawn(async move {
            let (mut listening, acknowledged) = wish.open(place, caller, Box::new(tell)).await;
            if !under_way.is_given_up() {
                let _ = queue.send(acknowledged.into()).await;
                listening.begin();
                tokio::select! {
                    () = under_way.cancel.cancelled() => {}
                    () = draining.cancelled() => {}
                }
            }
            let (farewell, held) = listening.end();
            if !under_way.is_given_up() {
                let _ = queue.send(farewell.into()).await;
            }
            drop((under_way, queue));
            held.give_up().await;
            drop(permit);
        });
        Ok(())
    }
}
