//! One request carried out: through the host, with what is said meanwhile going to its client.

use std::pin::{Pin, pin};
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_guard::Petition;
use toolgate_host::{Attendant, Call, Options, ResourcePlace, Target, Unmade, Unplaced};
use toolgate_types::{Asker, CallError, Caller, Code, Done, Era, ListKind, LogLevel, Outcome};
use toolgate_wire::{ErrorCode, IdBuf, write_result};

use crate::asking::Askable;
use crate::hub::Hears as _;
use crate::place::Place;
use crate::request::{Asked, Beside, Unanswerable};
use crate::respond::{self, About};
use crate::session::{Session, Subscription};
use crate::work::{Outlet, Reply};

/// How many words of a server about one request may lie unread.
const UNREAD: usize = 64;

/// A client's request and everything around it.
pub(crate) struct Seat {
    pub(crate) place: Arc<Place>,
    pub(crate) era: Era,
    pub(crate) id: IdBuf,
    pub(crate) caller: Arc<Caller>,
    pub(crate) session: Option<Arc<Session>>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) askable: Askable,
    /// What the client can do, for servers that are told with each request.
    pub(crate) capabilities: Option<Arc<RawValue>>,
    pub(crate) beside: Beside,
    pub(crate) cancel: CancellationToken,
    pub(crate) outlet: Outlet,
    /// How long a list holds, in milliseconds.
    pub(crate) list_ttl: u64,
}

impl Seat {
    /// The answer, as a whole message.
    pub(crate) async fn answer(mut self, asked: Asked) -> Reply {
        self.hear_no_stranger().await;
        match asked {
            Asked::Ping => self.done_with_nothing(),
            Asked::List { kind, cursor } => self.list(kind, cursor.as_deref()).await,
            Asked::CallTool { name, arguments } => self.call(name, arguments).await,
            Asked::UnfitCall { name, why } => self.unfit(&name, &why).await,
            Asked::Read { uri } => self.read(&uri).await,
            Asked::GetPrompt { name, arguments } => self.prompt(&name, arguments).await,
            Asked::Complete { reference, argument, context } => {
                self.complete(reference, argument, context).await
            }
            Asked::Subscribe { uri } => self.subscribe(uri).await,
            Asked::Unsubscribe { uri } => self.unsubscribe(&uri).await,
            Asked::SetLevel(level) => self.set_level(level).await,
        }
    }

    /// What a person is said to have answered counts only from a caller that may still be asked.
    async fn hear_no_stranger(&mut self) {
        let is_approval = |(key, _): &(String, Box<RawValue>)| key == Petition::KEY;
        let Some(retry) = &mut self.beside.retry else { return };
        if retry.responses.iter().any(is_approval) && !self.place.may_be_asked(&self.caller).await {
            retry.responses.retain(|response| !is_approval(response));
        }
    }

    async fn list(&self, kind: ListKind, cursor: Option<&str>) -> Reply {
        let pages = self.place.served.list(&self.place.audience, kind, self.list_ttl).await;
        let Some(result) = pages.result(cursor, self.era) else {
            let why = "there is no such cursor";
            return respond::refusal(&self.id, ErrorCode::INVALID_PARAMS, why).into();
        };
        if let Some(session) = &self.session {
            session.listed(kind);
        }
        let mut out = Vec::with_capacity(result.len() + 64);
        write_result(&mut out, self.id.as_id(), &Written(&result));
        out.into()
    }

    async fn call(mut self, name: String, arguments: Option<Box<RawValue>>) -> Reply {
        let audience = self.place.audience.clone();
        let call = Call {
            target: Target::Named { audience, name },
            arguments,
            options: Options::default(),
        };
        let (options, said) = self.options();
        let host = self.place.served.host.clone();
        let calling = pin!(host.call(call.options(options)));
        let outcome = self.attend(calling, said).await;
        self.respond(outcome, About::Tool, None)
    }

    async fn unfit(mut self, name: &str, error: &Unanswerable) -> Reply {
        let code = Code::InvalidArgument;
        let unmade = Unmade { code, why: &error.message, ..Unmade::not_found("call", name) };
        let (options, _) = self.options();
        self.place.served.host.record_unmade(unmade, &options).await;
        let bytes = respond::unanswerable(&self.id, error);
        // As for any other request of its era that could not be read.
        let refused = (self.era == Era::Modern).then_some(error.code);
        Reply { bytes, refused }
    }

    async fn read(mut self, uri: &str) -> Reply {
        let host = self.place.served.host.clone();
        let address = self.place.audience.address.clone();
        let (options, said) = self.options();
        let outcome = if host.is_own_resource(uri) {
            self.attend(pin!(host.read_own_resource(uri, options)), said).await
        } else {
            match host.find_resource(&address, uri).await {
                Ok(place) => {
                    let reading = pin!(host.read_resource(&place.server, &place.uri, options));
                    let outcome = self.attend(reading, said).await;
                    outcome.map(|outcome| respond::readdressed(outcome, &place.uri, uri))
                }
                Err(unplaced) => {
                    let unmade = unmade("read", uri, unplaced);
                    Err(host.record_unmade(unmade, &options).await)
                }
            }
        };
        self.respond(outcome, About::Resource, Some(("private", 0)))
    }

    async fn prompt(mut self, name: &str, arguments: Option<Box<RawValue>>) -> Reply {
        let host = self.place.served.host.clone();
        let prompts = host.list_prompts(&self.place.audience).await;
        let (options, said) = self.options();
        let outcome = match prompts.resolve(name) {
            Some(found) => {
                let key = &found.definition.key;
                let getting = pin!(host.get_prompt(&found.server, key, arguments, options));
                self.attend(getting, said).await
            }
            None => Err(host.record_unmade(Unmade::not_found("prompt", name), &options).await),
        };
        self.respond(outcome, About::Other, None)
    }

    async fn subscribe(mut self, uri: String) -> Reply {
        let host = self.place.served.host.clone();
        let Some(session) = self.session.clone() else { return self.done_with_nothing() };
        let (options, _) = self.options();
        let place = match host.find_resource(&self.place.audience.address, &uri).await {
            Ok(place) => place,
            Err(unplaced) => {
                let unmade = unmade("subscribe", &uri, unplaced);
                let error = host.record_unmade(unmade, &options).await;
                return respond::failure(&self.id, &error, About::Resource, self.era);
            }
        };
        let ResourcePlace { server, uri: own } = place.clone();
        if !session.subscribed(Subscription { place, asked: uri.clone() }) {
            return self.done_with_nothing();
        }
        match host.subscribe(&server, &own, options).await {
            Ok(()) => self.done_with_nothing(),
            Err(error) => {
                session.unsubscribed(&uri);
                respond::failure(&self.id, &error, About::Resource, self.era)
            }
        }
    }

    async fn unsubscribe(mut self, uri: &str) -> Reply {
        let host = self.place.served.host.clone();
        let known = self.session.as_ref().and_then(|session| session.unsubscribed(uri));
        let (options, _) = self.options();
        if let Some(ResourcePlace { server, uri }) = known
            && let Err(error) = host.unsubscribe(&server, &uri, options).await
        {
            return respond::failure(&self.id, &error, About::Resource, self.era);
        }
        self.done_with_nothing()
    }

    async fn set_level(self, level: LogLevel) -> Reply {
        if let Some(session) = &self.session {
            session.set_log_level(level);
        }
        let level = self.place.served.hub.log_level().unwrap_or(level);
        self.place.served.host.set_log_level(level).await;
        self.done_with_nothing()
    }

    /// How the host carries it out, and what its server says meanwhile.
    pub(super) fn options(&mut self) -> (Options, Said) {
        let (log, logged) = mpsc::channel(UNREAD);
        let (progress, reported) = match self.beside.progress_token {
            Some(_) => {
                let (sender, receiver) = mpsc::channel(UNREAD);
                (Some(sender), Some(receiver))
            }
            None => (None, None),
        };
        let attendant = Attendant {
            asker: Arc::clone(&self.asker),
            capabilities: self.capabilities.clone(),
            log: Some(log),
        };
        let options = Options {
            meta: self.beside.meta.take(),
            caller: Some(Arc::clone(&self.caller)),
            address: self.place.audience.address.clone(),
            reader: self.place.reader,
            retry: self.beside.retry.take(),
            deadline: None,
            within: None,
            cancel: self.cancel.clone(),
            progress,
            attendant: Some(attendant),
            log_level: self.beside.log_level,
        };
        (options, Said { logged, reported })
    }

    /// Passes on what is said until the outcome is there.
    pub(super) async fn attend<T>(
        &self,
        mut work: Pin<&mut impl Future<Output = T>>,
        mut said: Said,
    ) -> T {
        let mut so_far = f64::NEG_INFINITY;
        loop {
            tokio::select! {
                biased;
                Some(message) = said.logged.recv() => self.pass_on_log(&message),
                Some(report) = report(&mut said.reported) => {
                    self.pass_on_report(&report, &mut so_far);
                }
                outcome = &mut work => {
                    while let Ok(message) = said.logged.try_recv() {
                        self.pass_on_log(&message);
                    }
                    while let Some(report) = said.left() {
                        self.pass_on_report(&report, &mut so_far);
                    }
                    return outcome;
                }
            }
        }
    }

    fn pass_on_log(&self, message: &RawValue) {
        let least = match self.era {
            Era::Legacy => self.session.as_ref().and_then(|session| session.log_level()),
            // A request that did not say that it wants any gets none, whoever else does.
            Era::Modern if self.beside.log_level.is_none() => return,
            Era::Modern => self.beside.log_level,
        };
        if least.is_none_or(|least| respond::is_loud_enough(message, least)) {
            self.outlet.mention(respond::log(message));
        }
    }

    /// Never back: while a person was asked the client may have heard of more than the server, which
    /// begins only now, says at first.
    fn pass_on_report(&self, report: &RawValue, so_far: &mut f64) {
        match respond::how_far(report) {
            Some(now) if now < *so_far => return,
            Some(now) => *so_far = now,
            None => {}
        }
        let token = self.beside.progress_token.as_ref();
        if let Some(bytes) = token.and_then(|token| respond::progress(report, token)) {
            self.outlet.mention(bytes);
        }
    }

    pub(super) fn respond(
        &self,
        outcome: Result<Outcome, CallError>,
        about: About,
        hold: Option<(&'static str, u64)>,
    ) -> Reply {
        match outcome {
            Ok(Outcome::Done(Done { result, .. })) => {
                respond::complete(&self.id, &result, self.era, hold).into()
            }
            Ok(Outcome::InputRequired(required)) => match self.era {
                Era::Modern => match self.askable.lacking(&required) {
                    Some(capability) => respond::missing(&self.id, capability),
                    None => respond::complete(&self.id, &required.result, self.era, None).into(),
                },
                // It was asked everything it said it could be asked.
                Era::Legacy => {
                    let why = "the server wants an answer that this client cannot give";
                    respond::refusal(&self.id, ErrorCode::INTERNAL_ERROR, why).into()
                }
            },
            Err(error) => respond::failure(&self.id, &error, about, self.era),
        }
    }

    fn done_with_nothing(&self) -> Reply {
        respond::nothing(&self.id, self.era).into()
    }
}

/// What a server says while a request of a client is under way.
pub(super) struct Said {
    logged: mpsc::Receiver<Box<RawValue>>,
    reported: Option<mpsc::Receiver<Box<RawValue>>>,
}

impl Said {
    fn left(&mut self) -> Option<Box<RawValue>> {
        self.reported.as_mut()?.try_recv().ok()
    }
}

async fn report(reported: &mut Option<mpsc::Receiver<Box<RawValue>>>) -> Option<Box<RawValue>> {
    match reported {
        Some(reported) => reported.recv().await,
        None => None,
    }
}

/// Bytes that are JSON already.
struct Written<'a>(&'a [u8]);

impl toolgate_wire::Payload for Written<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
    }
}

/// What comes of a URI that leads nowhere. No server is named that may not be seen.
fn unmade<'a>(word: &'static str, uri: &'a str, why: Unplaced) -> Unmade<'a> {
    let unknown = Unmade::not_found(word, uri);
    match why {
        Unplaced::Unknown => unknown,
        Unplaced::Ambiguous => {
            let why = "this is offered by more than one server; the list of resources has an \
                       address for each of them";
            Unmade { code: Code::InvalidArgument, why, ..unknown }
        }
    }
}
