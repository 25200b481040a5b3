//! What a client asks for, read from its message once.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_host::is_meta_for_gate_alone;
use toolgate_types::{
    ListKind, LogLevel, OverridesError, RetryAnswers, SessionOverrides, TaskRequest,
};
use toolgate_wire::meta::RequestMeta;
use toolgate_wire::outcome::{INPUT_RESPONSES, REQUEST_STATE};
use toolgate_wire::{
    ErrorCode, MessageIdBuf, ObjectMember, ObjectSplice, RawObject, Request, RequestTarget, method,
};

/// A request that can be answered.
#[derive(Debug)]
pub(crate) enum ClientRequest {
    Ping,
    List {
        kind: ListKind,
        cursor: Option<String>,
    },
    CallTool {
        name: Arc<str>,
        arguments: Option<Arc<RawValue>>,
    },
    /// The call of a tool with what can be no arguments: not made, but written down.
    UnfitCall {
        name: String,
        why: Unanswerable,
    },
    Read {
        uri: String,
    },
    GetPrompt {
        name: String,
        arguments: Option<Arc<RawValue>>,
    },
    Complete {
        reference: Box<RawValue>,
        argument: Box<RawValue>,
        context: Option<Box<RawValue>>,
    },
    Subscribe {
        uri: String,
    },
    Unsubscribe {
        uri: String,
    },
    SetLevel(LogLevel),
    /// Of the modern era alone.
    Task {
        id: String,
        request: TaskRequest,
    },
}

/// What a request says besides what it asks for.
#[derive(Debug, Default)]
pub(crate) struct RequestExtras {
    /// The caller's `_meta`, where anything of it is for the server.
    pub(crate) meta: Option<Box<RawValue>>,
    pub(crate) progress_token: Option<MessageIdBuf>,
    pub(crate) retry: Option<RetryAnswers>,
    pub(crate) log_level: Option<LogLevel>,
    /// Members of `params` that nobody here knows, for the server.
    pub(crate) unknown: Option<Box<RawValue>>,
}

/// The members of `params` that are read here, or that are not for the server that carries it out:
/// `task` asks for the tasks of an older revision, which are not carried.
const KNOWN_PARAMS: [&str; 12] = [
    "_meta",
    "argument",
    "arguments",
    "context",
    "cursor",
    "inputResponses",
    "name",
    "ref",
    "requestState",
    "task",
    "taskId",
    "uri",
];

/// A request that cannot.
#[derive(Debug)]
pub(crate) struct Unanswerable {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Unanswerable {
    fn params(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::INVALID_PARAMS, message: message.into() }
    }

    pub(crate) fn unknown_method() -> Self {
        Self { code: ErrorCode::METHOD_NOT_FOUND, message: "method not found".to_owned() }
    }
}

impl ClientRequest {
    pub(crate) fn of(request: &Request<'_>) -> Result<Self, Unanswerable> {
        let unfit = |error: toolgate_wire::TargetError| Unanswerable::params(error.to_string());
        let params = request.params.as_ref();
        let target = RequestTarget::of(request).map_err(unfit)?.map(|target| target.value);
        let list = |kind| Ok(Self::List { kind, cursor: cursor(params)? });
        let uri = || text(params, "uri");
        match (&*request.method, target) {
            (method::PING, _) => Ok(Self::Ping),
            (method::TOOLS_LIST, _) => list(ListKind::Tools),
            (method::RESOURCES_LIST, _) => list(ListKind::Resources),
            (method::RESOURCES_TEMPLATES_LIST, _) => list(ListKind::ResourceTemplates),
            (method::PROMPTS_LIST, _) => list(ListKind::Prompts),
            (method::TOOLS_CALL, Some(name)) => Ok(match arguments(params) {
                Ok(arguments) => Self::CallTool { name: name.into(), arguments },
                Err(why) => Self::UnfitCall { name: name.into(), why },
            }),
            (method::PROMPTS_GET, Some(name)) => {
                Ok(Self::GetPrompt { name: name.into(), arguments: arguments(params)? })
            }
            (method::RESOURCES_READ, Some(uri)) => Ok(Self::Read { uri: uri.into() }),
            (method::RESOURCES_SUBSCRIBE, _) => Ok(Self::Subscribe { uri: uri()? }),
            (method::RESOURCES_UNSUBSCRIBE, _) => Ok(Self::Unsubscribe { uri: uri()? }),
            (method::COMPLETION_COMPLETE, _) => Ok(Self::Complete {
                reference: object(params, "ref")?,
                argument: object(params, "argument")?,
                context: match params.and_then(|params| params.get_some("context")) {
                    Some(_) => Some(object(params, "context")?),
                    None => None,
                },
            }),
            (method::TASKS_GET, Some(id)) => {
                Ok(Self::Task { id: id.into(), request: TaskRequest::Get })
            }
            (method::TASKS_CANCEL, Some(id)) => {
                Ok(Self::Task { id: id.into(), request: TaskRequest::Cancel })
            }
            (method::TASKS_UPDATE, Some(id)) => {
                let request = TaskRequest::Update(object(params, INPUT_RESPONSES)?);
                Ok(Self::Task { id: id.into(), request })
            }
            (method::LOGGING_SET_LEVEL, _) => {
                let level = LogLevel::parse(&text(params, "level")?);
                level.map(Self::SetLevel).ok_or_else(|| Unanswerable::params("no such level"))
            }
            _ => Err(Unanswerable::unknown_method()),
        }
    }
}

impl RequestExtras {
    pub(crate) fn of(request: &Request<'_>) -> Result<Self, Unanswerable> {
        let unfit = |error: toolgate_wire::meta::MetaError| Unanswerable::params(error.to_string());
        let meta = RequestMeta::of_request(request).map_err(unfit)?;
        Self::beside(request, meta)
    }

    /// The same where its `_meta` was read already.
    pub(crate) fn beside(
        request: &Request<'_>,
        meta: RequestMeta<'_>,
    ) -> Result<Self, Unanswerable> {
        let params = request.params.as_ref();
        Ok(Self {
            meta: meta
                .object
                .filter(|object| !is_meta_for_gate_alone(object))
                .map(|object| object.raw().to_owned()),
            progress_token: meta.progress_token.map(|token| token.to_buf()),
            retry: retry(params)?,
            log_level: meta.log_level.and_then(|level| LogLevel::parse(level.as_str())),
            unknown: unknown(params)?,
        })
    }
}

/// What is left of `params` without what is known. A server that ignores case would find a known member
/// where we passed on one that nobody knows.
fn unknown(params: Option<&RawObject<'_>>) -> Result<Option<Box<RawValue>>, Unanswerable> {
    let Some(params) = params else { return Ok(None) };
    if let Some(key) = params.case_variant_of(&KNOWN_PARAMS) {
        let why = format!("`params.{key}` differs only in case from a member of the protocol");
        return Err(Unanswerable::params(why));
    }
    let is_known = |member: &ObjectMember<'_>| KNOWN_PARAMS.iter().any(|key| member.is(key));
    if params.members().all(is_known) {
        return Ok(None);
    }
    let mut left = ObjectSplice::of(params);
    for key in KNOWN_PARAMS {
        left.remove(key);
    }
    Ok(left.to_raw().ok())
}

/// What a session, or a request that belongs to none, changes about command tools.
pub(crate) fn session_overrides(
    meta: Option<&RawObject<'_>>,
) -> Result<Option<Arc<SessionOverrides>>, OverridesError> {
    let raw = meta.and_then(|meta| meta.get_some(SessionOverrides::KEY));
    let parsed = raw.map(SessionOverrides::parse).transpose()?.flatten();
    Ok(parsed.map(Arc::new))
}

fn text(params: Option<&RawObject<'_>>, key: &str) -> Result<String, Unanswerable> {
    let text = params.and_then(|params| params.text(key));
    let missing = || Unanswerable::params(format!("`params.{key}` must be a string"));
    text.map(|text| text.into_owned()).ok_or_else(missing)
}

fn object(params: Option<&RawObject<'_>>, key: &str) -> Result<Box<RawValue>, Unanswerable> {
    let raw = params.and_then(|params| params.get_some(key));
    let raw = raw.filter(|raw| raw.get().starts_with('{'));
    let missing = || Unanswerable::params(format!("`params.{key}` must be an object"));
    raw.map(ToOwned::to_owned).ok_or_else(missing)
}

/// Nothing is as good as an empty object, and some clients write `null` for it.
fn arguments(params: Option<&RawObject<'_>>) -> Result<Option<Arc<RawValue>>, Unanswerable> {
    match params.and_then(|params| params.get_some("arguments")) {
        Some(_) => object(params, "arguments").map(|raw| Some(raw.into())),
        None => Ok(None),
    }
}

fn cursor(params: Option<&RawObject<'_>>) -> Result<Option<String>, Unanswerable> {
    match params.and_then(|params| params.get_some("cursor")) {
        Some(_) => text(params, "cursor").map(Some),
        None => Ok(None),
    }
}

/// The second half of a request that was answered with questions.
fn retry(params: Option<&RawObject<'_>>) -> Result<Option<RetryAnswers>, Unanswerable> {
    let Some(params) = params else { return Ok(None) };
    let (given, state) = (params.get_some(INPUT_RESPONSES), params.get_some(REQUEST_STATE));
    if given.is_none() && state.is_none() {
        return Ok(None);
    }
    let mut responses = Vec::new();
    if let Some(given) = given {
        let unfit =
            || Unanswerable::params(format!("`params.{INPUT_RESPONSES}` must be an object"));
        let given = RawObject::parse(given).map_err(|_| unfit())?;
        for member in given.members() {
            let key = member.key().ok_or_else(unfit)?;
            responses.push((key.into_owned(), member.value().to_owned()));
        }
    }
    // What a person said is read only once it is known that this caller may be asked.
    Ok(Some(RetryAnswers { responses, state: state.map(ToOwned::to_owned), approval: None }))
}
