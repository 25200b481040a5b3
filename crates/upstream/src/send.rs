//! One request on its way: its `_meta` and headers, and the word to the server when nobody waits for
//! the answer any more.

use std::sync::Arc;

use toolgate_guard::PendingConsent;
use toolgate_types::QuietSender;
use toolgate_wire::header::{ParamHeaders, request_headers};
use toolgate_wire::{
    Era, Message, ObjectSplice, ProtocolRevision, SpliceValue, meta, method, write_notification,
    write_request,
};

use crate::attendant::Attendant;
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::RequestError;
use crate::handshake::Introduction;
use crate::mirrored_headers::MirroredHeaders;
use crate::patience::{RequestClock, RequestPatience};
use crate::reply::ServerReply;
use crate::router::{MessageRouter, RequestSign};
use crate::server_remark::ServerRemark;

/// One request from its bytes to its answer.
pub(crate) struct RequestSending<'a> {
    pub(crate) channel: &'a Arc<dyn ServerChannel>,
    pub(crate) router: &'a Arc<MessageRouter>,
    pub(crate) introduction: &'a Introduction,
    /// None while `initialize` is under way.
    pub(crate) revision: Option<ProtocolRevision>,
    pub(crate) annotated: &'a ParamHeaders,
    /// The tool, where it is the call of one.
    pub(crate) called: Option<&'a str>,
    pub(crate) attendant: Option<Attendant>,
    /// The yes that it rests on, where a person was asked.
    pub(crate) pending: Option<Arc<PendingConsent>>,
    pub(crate) id: u64,
}

impl RequestSending<'_> {
    pub(crate) async fn run(
        self,
        method: &str,
        params: &ObjectSplice<'_>,
        patience: RequestPatience,
        remarks: Option<QuietSender<ServerRemark>>,
    ) -> Result<ServerReply, RequestError> {
        let bytes = self.written(method, params, remarks.is_some())?;
        let headers = self.headers(&bytes)?;
        let mut signs = self.router.follow(self.id, self.attendant.clone());
        let mut clock = RequestClock::start(patience);
        let mut guard = CancelGuard {
            channel: self.channel,
            router: self.router,
            id: self.id,
            is_initialize: method == method::INITIALIZE,
            revision: self.revision,
            armed: true,
        };
        let message = OutgoingMessage {
            bytes: bytes.into(),
            revision: self.revision,
            headers,
            pending: self.pending,
        };
        let call = self.channel.call(self.id, message);
        tokio::pin!(call);
        loop {
            tokio::select! {
                reply = &mut call => {
                    guard.armed = false;
                    // What was reported before the answer is told before it.
                    while let Some(sign) = signs.try_recv() {
                        hand_on(sign, remarks.as_ref());
                    }
                    return reply;
                }
                Some(sign) = signs.recv() => {
                    clock.heard(&sign);
                    hand_on(sign, remarks.as_ref());
                    if self.router.gives_way(self.id) {
                        return Err(RequestError::GaveWay);
                    }
                }
                () = clock.run_out() => {
                    if self.router.has_open_question(self.id) {
                        clock.stand_still();
                        continue;
                    }
                    return Err(RequestError::TimedOut(clock.elapsed()));
                }
            }
        }
    }

    /// The whole message, with what only we say in its `_meta`.
    fn written(
        &self,
        method: &str,
        params: &ObjectSplice<'_>,
        hears_remarks: bool,
    ) -> Result<Vec<u8>, RequestError> {
        let malformed = |error: toolgate_wire::ObjectError| {
            RequestError::Unsendable(format!("`_meta` of the request: {error}"))
        };
        let mut params = params.clone();
        if is_modern(self.revision) {
            let own = self.attendant.as_ref().and_then(|one| one.capabilities.as_deref());
            let meta = params.within(meta::META).map_err(malformed)?;
            self.introduction.sign(meta, method, own);
        }
        if method == method::TOOLS_CALL || hears_remarks {
            let meta = params.within(meta::META).map_err(malformed)?;
            meta.set(meta::PROGRESS_TOKEN, SpliceValue::number(self.id));
        }
        let mut bytes = Vec::with_capacity(512);
        write_request(&mut bytes, self.id.into(), method, Some(&params));
        Ok(bytes)
    }

    /// What a modern HTTP server wants to see beside the message.
    fn headers(&self, bytes: &[u8]) -> Result<MirroredHeaders, RequestError> {
        let Some(revision) = self.revision.filter(|revision| revision.era() == Era::Modern) else {
            return Ok(MirroredHeaders::None);
        };
        if !self.channel.has_headers() {
            return Ok(MirroredHeaders::None);
        }
        if let (Some(tool), true) = (self.called, self.annotated.is_empty()) {
            return MirroredHeaders::of_plain_call(tool);
        }
        let unsendable = |why: String| RequestError::Unsendable(why);
        let message = Message::parse(bytes, self.router.limits())
            .map_err(|rejected| unsendable(rejected.to_string()))?;
        let headers = request_headers(&message, revision, self.annotated)
            .map_err(|error| unsendable(error.to_string()))?;
        MirroredHeaders::read(&headers)
    }
}

fn hand_on(sign: RequestSign, remarks: Option<&QuietSender<ServerRemark>>) {
    if let (RequestSign::Remark(remark), Some(remarks)) = (sign, remarks) {
        let _ = remarks.try_send(remark);
    }
}

fn is_modern(revision: Option<ProtocolRevision>) -> bool {
    revision.is_some_and(|revision| revision.era() == Era::Modern)
}

/// Tells the server when nobody waits any more, however that came about.
struct CancelGuard<'a> {
    channel: &'a Arc<dyn ServerChannel>,
    router: &'a Arc<MessageRouter>,
    id: u64,
    is_initialize: bool,
    revision: Option<ProtocolRevision>,
    armed: bool,
}

impl Drop for CancelGuard<'_> {
    fn drop(&mut self) {
        self.router.forget(self.id);
        // The handshake itself cannot be cancelled, and a modern HTTP server sees its stream close.
        let told = self.is_initialize || (is_modern(self.revision) && self.channel.drop_cancels());
        if !self.armed || told {
            return;
        }
        let mut params = ObjectSplice::new();
        params.set("requestId", SpliceValue::number(self.id));
        let mut bytes = Vec::new();
        write_notification(&mut bytes, method::CANCELLED, Some(&params));
        let (channel, revision) = (Arc::clone(self.channel), self.revision);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = channel.send(OutgoingMessage::plain(bytes, revision)).await;
            });
        }
    }
}
