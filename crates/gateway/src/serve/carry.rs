//! One request carried out: through the host, with what is said meanwhile going to its client.

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_guard::ApprovalRequest;
use toolgate_host::{
    Attendant, Audience, Call, CallOptions, CallTarget, ResourcePlace, ResultReader, ServerRemark,
    UnmadeCall, UnplacedUri,
};
use toolgate_types::{
    Asker, CallError, Caller, Code, CommandPiece, Era, ListKind, LogLevel, LongResult,
    OperationOutcome, OperationResult, QuietReceiver, quiet_queue,
};
use toolgate_wire::{ErrorCode, MessageIdBuf};

use super::lists::ListedPages;
use super::printed_messages::{PrintedMessages, pass_on_printed};
use crate::app_pages::with_pages;
use crate::client_abilities::ElicitationSupport;
use crate::client_patience::patience_of;
use crate::elicitation_form::{approval_result, form_answer};
use crate::hub::{NewsListener as _, ServerNews};
use crate::long_reply::LongReply;
use crate::place::CallerPlace;
use crate::request::{ClientRequest, RequestExtras, Unanswerable};
use crate::respond::{self, FailureSubject};
use crate::session::{ClientSession, Subscription};
use crate::work::{ClientOutlet, ReplyFuture, RequestReply, boxed_reply};

/// How many words of a server about one request may lie unread.
const UNREAD: usize = 64;
/// How many pieces of what a command prints may.
const UNREAD_PIECES: usize = 4;

/// A client's request and everything around it.
pub(crate) struct RequestContext {
    pub(crate) place: Arc<CallerPlace>,
    pub(crate) era: Era,
    pub(crate) id: MessageIdBuf,
    pub(crate) caller: Arc<Caller>,
    pub(crate) session: Option<Arc<ClientSession>>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) askable: ElicitationSupport,
    /// Whether it said that it knows tasks.
    pub(crate) takes_tasks: bool,
    /// What the client can do, for servers that are told with each request.
    pub(crate) capabilities: Option<Arc<RawValue>>,
    pub(crate) beside: RequestExtras,
    /// Where it can be cancelled otherwise than by going away.
    pub(crate) cancel: Option<CancellationToken>,
    pub(crate) outlet: ClientOutlet,
    /// Whether its answer is sent as much at a time as the client takes.
    pub(crate) takes_length: bool,
    /// How long a list holds, in milliseconds.
    pub(crate) list_ttl: u64,
}

impl RequestContext {
    /// The answer, as a whole message.
    pub(crate) fn answer(self, asked: ClientRequest) -> ReplyFuture {
        boxed_reply(|| self.carry_out(asked))
    }

    async fn carry_out(mut self, asked: ClientRequest) -> RequestReply {
        self.hear_no_stranger().await;
        match asked {
            ClientRequest::Ping => self.done_with_nothing(),
            ClientRequest::List { kind, cursor } => self.list(kind, cursor.as_deref()).await,
            ClientRequest::CallTool { name, arguments } => self.call(name, arguments).await,
            ClientRequest::UnfitCall { name, why } => self.unfit(&name, &why).await,
            ClientRequest::Read { uri } => self.read(&uri).await,
            ClientRequest::GetPrompt { name, arguments } => self.prompt(&name, arguments).await,
            ClientRequest::Complete { reference, argument, context } => {
                self.complete(reference, argument, context).await
            }
            ClientRequest::Subscribe { uri } => self.subscribe(uri).await,
            ClientRequest::Unsubscribe { uri } => self.unsubscribe(&uri).await,
            ClientRequest::SetLevel(level) => self.set_level(level).await,
            ClientRequest::Task { id, request } => self.task(&id, request).await,
        }
    }

    /// What a person is said to have answered counts only from a caller that may still be asked.
    async fn hear_no_stranger(&mut self) {
        let is_approval = |(key, _): &(String, Box<RawValue>)| key == ApprovalRequest::KEY;
        let Some(retry) = &mut self.beside.retry else { return };
        let Some((_, filled_in)) = retry.responses.iter().find(|one| is_approval(one)) else {
            return;
        };
        match self.place.may_be_asked(&self.caller).await {
            true => retry.approval = form_answer(filled_in),
            false => retry.responses.retain(|response| !is_approval(response)),
        }
    }

    async fn list(&self, kind: ListKind, cursor: Option<&str>) -> RequestReply {
        let served = &self.place.served;
        // Only how long it waits goes by who asks, never what it says.
        let patience = match &self.session {
            Some(session) => session.patience_ends(kind),
            None => {
                self.caller.client.as_deref().and_then(patience_of).map(|it| Instant::now() + it)
            }
        };
        let wait = served.host.client_list_wait(patience);
        let listed = served.list(&self.audience(), kind, self.list_ttl, wait).await;
        let ListedPages { pages, ttl_ms, epoch } = listed;
        let Some(page) = pages.page(cursor) else {
            let why = "there is no such cursor";
            return respond::refusal(&self.id, ErrorCode::INVALID_PARAMS, why).into();
        };
        if let Some(session) = &self.session {
            session.listed(kind);
            // What came while it was written was told to those who had a list already.
            if served.host.epoch() != epoch {
                session.hear(&ServerNews::ListChanged(kind));
            }
        }
        let answer = page.answer(self.id.as_id(), self.era, ttl_ms);
        answer.into()
    }

    async fn call(mut self, name: Arc<str>, arguments: Option<Arc<RawValue>>) -> RequestReply {
        let audience = self.audience().into_owned();
        let called = Arc::clone(&name);
        let (options, said) = self.options();
        let call = Call { target: CallTarget::Named { audience, name }, arguments, options };
        let host = self.place.served.host.clone();
        let calling = pin!(host.call(call));
        let outcome = self.attend(calling, said).await;
        let outcome = outcome.map(|outcome| with_pages(outcome, &called, &self.place));
        self.respond(outcome, FailureSubject::Tool, None)
    }

    async fn unfit(mut self, name: &str, error: &Unanswerable) -> RequestReply {
        let code = Code::InvalidArgument;
        let unmade =
            UnmadeCall { code, why: &error.message, ..UnmadeCall::not_found("call", name) };
        let (options, _) = self.options();
        self.place.served.host.record_unmade(unmade, &options).await;
        let bytes = respond::unanswerable(&self.id, error);
        // As for any other request of its era that could not be read.
        let refused = (self.era == Era::Modern).then_some(error.code);
        RequestReply { message: bytes.into(), refused }
    }

    async fn read(mut self, uri: &str) -> RequestReply {
        let host = self.place.served.host.clone();
        let address = self.place.address();
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
        self.respond(outcome, FailureSubject::Resource, Some(("private", 0)))
    }

    async fn prompt(mut self, name: &str, arguments: Option<Arc<RawValue>>) -> RequestReply {
        let host = self.place.served.host.clone();
        let found = host.find_prompt(&self.place.audience(), name).await;
        let (options, said) = self.options();
        let outcome = match found {
            Some(found) => {
                let key = &found.definition.key;
                let getting = pin!(host.get_prompt(&found.server, key, arguments, options));
                self.attend(getting, said).await
            }
            None => Err(host.record_unmade(UnmadeCall::not_found("prompt", name), &options).await),
        };
        self.respond(outcome, FailureSubject::Other, None)
    }

    async fn subscribe(mut self, uri: String) -> RequestReply {
        let host = self.place.served.host.clone();
        let Some(session) = self.session.clone() else { return self.done_with_nothing() };
        let (options, _) = self.options();
        let place = match host.find_resource(&self.place.address(), &uri).await {
            Ok(place) => place,
            Err(unplaced) => {
                let unmade = unmade("subscribe", &uri, unplaced);
                let error = host.record_unmade(unmade, &options).await;
                return respond::failure(&self.id, &error, FailureSubject::Resource, self.era);
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
                respond::failure(&self.id, &error, FailureSubject::Resource, self.era)
            }
        }
    }

    async fn unsubscribe(mut self, uri: &str) -> RequestReply {
        let host = self.place.served.host.clone();
        let known = self.session.as_ref().and_then(|session| session.unsubscribed(uri));
        let (options, _) = self.options();
        if let Some(ResourcePlace { server, uri }) = known
            && let Err(error) = host.unsubscribe(&server, &uri, options).await
        {
            return respond::failure(&self.id, &error, FailureSubject::Resource, self.era);
        }
        self.done_with_nothing()
    }

    async fn set_level(self, level: LogLevel) -> RequestReply {
        if let Some(session) = &self.session {
            session.set_log_level(level);
        }
        self.place.served.tell_log_level().await;
        self.done_with_nothing()
    }

    /// How the host carries it out, and what its server says meanwhile.
    pub(super) fn options(&mut self) -> (CallOptions, CallSayings) {
        let (remarks, said) = quiet_queue(UNREAD);
        let hears_output = self.beside.progress_token.is_some() || self.hears_logs();
        let (output, printed) = match hears_output {
            true => {
                let (sender, receiver) = mpsc::channel(UNREAD_PIECES);
                (Some(sender), Some(receiver))
            }
            false => (None, None),
        };
        let attendant = Attendant {
            asker: Arc::clone(&self.asker),
            capabilities: self.capabilities.clone(),
            party: Some(self.party()),
            takes_logs: true,
        };
        let options = CallOptions {
            meta: self.beside.meta.take(),
            unknown: self.beside.unknown.take(),
            caller: Some(Arc::clone(&self.caller)),
            address: self.place.address(),
            reader: ResultReader { takes_length: self.takes_length, ..self.place.reader },
            retry: self.beside.retry.take(),
            deadline: None,
            within: None,
            cancel: self.cancel.clone(),
            remarks: Some(remarks),
            output,
            attendant: Some(attendant),
            log_level: self.log_level(),
        };
        (options, CallSayings { said, printed })
    }

    fn party(&self) -> Arc<str> {
        match &self.session {
            Some(session) => Arc::clone(&session.party),
            None => self.place.party(self.caller.session.as_ref()),
        }
    }

    /// For whom lists are made and things are done.
    fn audience(&self) -> Cow<'_, Audience> {
        let audience = self.place.audience();
        match &self.caller.overrides {
            None => audience,
            overrides => {
                Cow::Owned(Audience { overrides: overrides.clone(), ..audience.into_owned() })
            }
        }
    }

    /// Passes on what is said until the outcome is there.
    pub(super) async fn attend<T>(
        &self,
        mut work: Pin<&mut impl Future<Output = T>>,
        mut sayings: CallSayings,
    ) -> T {
        let mut so_far = f64::NEG_INFINITY;
        let mut printed = sayings.printed.take().map(|pieces| {
            let token = self.beside.progress_token.clone();
            PrintedMessages::new(pieces, token, self.hears_logs())
        });
        loop {
            tokio::select! {
                biased;
                Some(remark) = sayings.said.recv() => self.pass_on(&remark, &mut so_far),
                outcome = &mut work => {
                    while let Some(remark) = sayings.said.try_recv() {
                        self.pass_on(&remark, &mut so_far);
                    }
                    if let Some(printed) = &mut printed {
                        printed.pass_on_rest(&self.outlet).await;
                    }
                    return outcome;
                }
                // Waits for its reader, and nobody else waits for that.
                () = pass_on_printed(&mut printed, &self.outlet) => {}
            }
        }
    }

    /// From which level on its caller wants to hear its server, where it said so: whoever else said
    /// something, it is this caller's.
    fn log_level(&self) -> Option<LogLevel> {
        match self.era {
            Era::Legacy => self.session.as_ref().and_then(|session| session.wanted_log_level()),
            Era::Modern => self.beside.log_level,
        }
    }

    /// Whether its client wants to hear what a command prints as log messages.
    fn hears_logs(&self) -> bool {
        self.log_level().is_some_and(PrintedMessages::are_heard_from)
    }

    fn pass_on(&self, remark: &ServerRemark, so_far: &mut f64) {
        match remark {
            ServerRemark::Log(message) => self.pass_on_log(message),
            ServerRemark::Progress(report) => self.pass_on_report(report, so_far),
        }
    }

    fn pass_on_log(&self, message: &RawValue) {
        let least = match (self.log_level(), self.era) {
            (Some(level), _) => level,
            // Once there were servers that speak unasked; another caller may have told this one to say
            // more.
            (None, Era::Legacy) => LogLevel::UNASKED,
            // A request that did not say that it wants any gets none.
            (None, Era::Modern) => return,
        };
        if respond::is_loud_enough(message, least) {
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
        outcome: Result<OperationOutcome, CallError>,
        about: FailureSubject,
        hold: Option<(&'static str, u64)>,
    ) -> RequestReply {
        match outcome {
            Ok(OperationOutcome::Done(OperationResult { result, .. })) => {
                respond::complete(&self.id, &result, self.era, hold).into()
            }
            Ok(OperationOutcome::DoneAtLength(LongResult { held, rests, .. })) => {
                let written = respond::complete(&self.id, &held, self.era, hold);
                LongReply::new(self.id.clone(), written, rests).into()
            }
            Ok(OperationOutcome::InputRequired(required)) => match self.era {
                Era::Modern => match self.askable.lacking(&required.questions) {
                    Some(capability) => respond::missing(&self.id, capability),
                    None => respond::complete(&self.id, &required.result, self.era, None).into(),
                },
                // It was asked everything it said it could be asked.
                Era::Legacy => {
                    let why = "the server wants an answer that this client cannot give";
                    respond::refusal(&self.id, ErrorCode::INTERNAL_ERROR, why).into()
                }
            },
            Ok(OperationOutcome::Task(report)) => self.report(&report),
            // Whoever asks over its own connection never defers.
            Ok(OperationOutcome::ApprovalRequired(required)) => match approval_result(&required) {
                Some(result) => respond::complete(&self.id, &result, self.era, None).into(),
                None => {
                    let why = "the question could not be written";
                    respond::refusal(&self.id, ErrorCode::INTERNAL_ERROR, why).into()
                }
            },
            Err(error) => {
                let error = self.place.advised(error);
                respond::failure(&self.id, &error, about, self.era)
            }
        }
    }

    fn done_with_nothing(&self) -> RequestReply {
        respond::nothing(&self.id, self.era).into()
    }
}

/// What is said while a request of a client is under way.
pub(super) struct CallSayings {
    /// By its server.
    said: QuietReceiver<ServerRemark>,
    /// What a command prints.
    printed: Option<mpsc::Receiver<CommandPiece>>,
}

/// What comes of a URI that leads nowhere. No server is named that may not be seen.
fn unmade<'a>(word: &'static str, uri: &'a str, why: UnplacedUri) -> UnmadeCall<'a> {
    let unknown = UnmadeCall::not_found(word, uri);
    match why {
        UnplacedUri::Unknown => unknown,
        UnplacedUri::Ambiguous => {
            let why = "this is offered by more than one server; the list of resources has an \
                       address for each of them";
            UnmadeCall { code: Code::InvalidArgument, why, ..unknown }
        }
    }
}
