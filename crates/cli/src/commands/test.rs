//! `toolgate test <id>`: connects to one server, shakes hands, lists its tools, and says what
//! failed and why.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolgate_daemon::{find_server, in_lines, login_hint};
use toolgate_mask::Masker;
use toolgate_sandbox::{HelperPath, ProcessSpawner};
use toolgate_store::Store as _;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::config::{Entry, Server, Transport};
use toolgate_types::{Accepted, EventSink, NobodyToAsk, ServerEvent, ServerId, visible};
use toolgate_upstream::{
    ConnectError, CredentialProviders, FetchedList, PageLimits, ServerOpening, UpstreamConnection,
};
use toolgate_wire::{Era, ListMethod, MessageLimits, RawObject};

use crate::args::NamedArgs;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::progress::keep_from_terminal;
use crate::surroundings::Surroundings;
use crate::trust_standing;

const GRACE: Duration = Duration::from_secs(2);

/// The most that is shown of each line of a server's last words.
const LONGEST_LINE: usize = 500;

pub(crate) fn run(
    arguments: &NamedArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut loaded = surroundings.load_shown(arguments.scope);
    // What it complains of is in its last words, where it fails.
    keep_from_terminal(&mut loaded.config);
    let entry = find_server(&loaded, &arguments.id)?;
    if matches!(entry.value.transport, Transport::Builtin) {
        let id = &arguments.id;
        return Err(CliFailure::usage(format!(
            "server {id} is built in: there is nothing to reach"
        ))
        .hint(format!("see `toolgate tools --server {id}`")));
    }
    let known = surroundings.acceptances(&loaded)?;
    let standing = trust_standing::server_standing(&arguments.id, entry, &known);
    let server = Accepted::new(&entry.value, &standing).map_err(|reason| {
        CliFailure::new(format!("server {} is pending: {reason}", arguments.id))
            .hint("nothing was started; accept it with: toolgate trust")
            .exits(Exit::TrustNeeded)
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliFailure::new(format!("cannot start: {error}")))?;
    let id = ServerId::parse(&arguments.id).map_err(CliFailure::new)?;
    let tested = runtime.block_on(test(&id, server, entry, surroundings));
    // Of all that is configured: a secret is one wherever it turns up.
    let masker = Masker::of_config(&loaded.config, &surroundings.variables);
    let tested = tested.map_err(|error| explain(&id, &error, &masker))?.masked(&masker);
    if output.json {
        output.document(tested.document(&id));
    } else {
        output.line(tested.sentence(&id));
        for odd in &tested.tools.set_aside {
            output.warning(format!("a tool was set aside: {}", visible(odd)));
        }
    }
    Ok(Exit::Ok)
}

/// What a test found out.
pub(super) struct ServerTest {
    name: String,
    revision: &'static str,
    era: &'static str,
    tools: FetchedList,
}

pub(super) async fn test(
    id: &ServerId,
    server: Accepted<'_, Server>,
    entry: &Entry<Server>,
    surroundings: &Surroundings,
) -> Result<ServerTest, ConnectError> {
    let digest = entry.fingerprint.entry;
    // What was kept is only a hint; without a store the server is simply asked.
    let store = surroundings.store().ok();
    let kept = match &store {
        Some(store) => store.revision_of(digest).await.ok().flatten(),
        None => None,
    };
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    let opening = ServerOpening {
        id,
        server,
        workspace: &surroundings.cwd,
        variables: &surroundings.variables,
        spawner: &spawner,
        providers: &CredentialProviders::new(),
        asker: Arc::new(NobodyToAsk),
        events: Arc::new(IgnoredEvents),
        known: kept.and_then(|kept| kept.parse().ok()),
        limits: MessageLimits::DEFAULT,
        spill: None,
    };
    let connection = opening.open().await?;
    let revision = connection.handshake().revision;
    if let Some(store) = &store {
        let _ = store.keep_revision(digest, revision.as_str()).await;
    }
    let tools = match connection.handshake().offers("tools") {
        true => connection.list(ListMethod::Tools, PageLimits::default()).await,
        false => Ok(FetchedList::default()),
    };
    let name = name_of(&connection);
    connection.close(GRACE).await;
    let tools = tools.map_err(ConnectError::from)?;
    let era = match revision.era() {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    };
    Ok(ServerTest { name, revision: revision.as_str(), era, tools })
}

fn name_of(connection: &UpstreamConnection) -> String {
    let info = connection.handshake().server_info.as_deref();
    let info = info.and_then(|info| RawObject::parse(info).ok());
    let field = |key: &str| info.as_ref().and_then(|info| info.text(key));
    match (field("name"), field("version")) {
        (Some(name), Some(version)) => visible(&format!("{name} {version}")),
        (Some(name), None) => visible(&name),
        (None, _) => "an unnamed server".to_owned(),
    }
}

impl ServerTest {
    pub(super) fn into_tool_names(self) -> impl Iterator<Item = String> {
        self.tools.items.into_iter().map(|(name, _)| name)
    }

    /// What a server says of itself may repeat what it was given. The names of its tools stay: they
    /// are what it is called by.
    fn masked(mut self, masker: &Masker) -> Self {
        self.name = masker.mask_text(&self.name).into_owned();
        for odd in &mut self.tools.set_aside {
            *odd = masker.mask_text(odd).into_owned();
        }
        self
    }

    fn sentence(&self, id: &ServerId) -> String {
        let tools = counted(self.tools.items.len(), "tool");
        let Self { name, revision, era, .. } = self;
        format!("ok: {id} is {name}, speaks {revision} ({era}), offers {tools}")
    }

    fn document(&self, id: &ServerId) -> Map<String, Value> {
        let names: Vec<&str> = self.tools.items.iter().map(|(name, _)| name.as_str()).collect();
        let mut fields = Map::new();
        fields.insert("id".into(), id.as_str().into());
        fields.insert("ok".into(), true.into());
        fields.insert("server".into(), self.name.as_str().into());
        fields.insert("revision".into(), self.revision.into());
        fields.insert("era".into(), self.era.into());
        fields.insert("tools".into(), json!(names));
        fields.insert("setAside".into(), json!(self.tools.set_aside));
        fields
    }
}

fn explain(id: &ServerId, error: &ConnectError, masker: &Masker) -> CliFailure {
    let (exit, hint) = match error {
        ConnectError::Unauthorized { .. } => (Exit::LoginNeeded, Some(login_hint(id.as_str()))),
        ConnectError::Setup { hint, .. } => (Exit::Error, hint.map(str::to_owned)),
        ConnectError::Status { status: 404 } => {
            (Exit::Unreachable, Some("check the path of the URL".to_owned()))
        }
        ConnectError::Html => (Exit::Unreachable, Some("check the path of the URL".to_owned())),
        ConnectError::TimedOut(_) | ConnectError::StartTimedOut { .. } => {
            (Exit::Unreachable, Some("give it more time with `startup_timeout_ms`".to_owned()))
        }
        _ => (Exit::Unreachable, None),
    };
    let why = masker.mask_and_cut(&error.to_string(), LONGEST_LINE);
    let failure = CliFailure::new(format!("{id}: {}", in_lines(&why))).exits(exit);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Nobody listens to what a server says during a test.
struct IgnoredEvents;

impl EventSink for IgnoredEvents {
    fn event(&self, _: &ServerId, _: ServerEvent) {}
}
