//! One server asked who it is and what tools it has, beside every host: for whoever wants to know whether
//! it can be reached, and for what a host would show nobody.

use std::sync::Arc;
use std::time::Duration;

use toolgate_mask::Masker;
use toolgate_sandbox::{SandboxView, SpawnConditions, SpawnError};
use toolgate_store::Store;
use toolgate_types::config::{CommandTool, Entry, PackageServer, Server, Transport};
use toolgate_types::{
    Accepted, EventSink, NobodyToAsk, Principal, Secret, ServerEvent, ServerId, visible,
};
use toolgate_upstream::{
    CommandError, ConnectError, FetchedList, LoginAccess, PageLimits, ServerOpening,
    ServerPackages, TokenCommandProviders, UpstreamConnection, command_view, described, room_of,
};
use toolgate_wire::{Era, ListMethod, MessageLimits, RawObject};

use crate::TestGround;
use crate::server_packages::{package_key, package_store, walled};

const GRACE: Duration = Duration::from_secs(2);

/// What a test found out.
#[derive(Debug)]
pub struct ServerTest {
    /// What it calls itself.
    pub name: String,
    pub revision: &'static str,
    pub era: &'static str,
    pub tools: FetchedList,
}

impl ServerTest {
    /// What a server says of itself may repeat what it was given. The names of its tools stay: they
    /// are what it is called by.
    #[must_use]
    pub fn masked(mut self, masker: &Masker) -> Self {
        self.name = masker.mask_text(&self.name).into_owned();
        for odd in &mut self.tools.set_aside {
            *odd = masker.mask_text(odd).into_owned();
        }
        self
    }
}

/// Connects, lists, and closes again. What was found out of the protocol it speaks is kept, where there
/// is a store.
pub async fn test_server(
    id: &ServerId,
    server: Accepted<'_, Server>,
    entry: &Entry<Server>,
    ground: TestGround<'_>,
    store: Option<&dyn Store>,
) -> Result<ServerTest, ConnectError> {
    let digest = entry.fingerprint.entry;
    // What was kept is only a hint; without a store the server is simply asked.
    let spoken = match store {
        Some(store) => store.revision_of(digest).await.ok().flatten(),
        None => None,
    };
    let spawner = walled(ground.walls.clone());
    let key = package_key(id, entry, ground.project.as_deref());
    let kept = store.and_then(|store| package_store(&ground, &spawner, store));
    let packages = key.as_ref().zip(kept);
    let variables = Arc::new(ground.variables.clone());
    let providers = TokenCommandProviders::default();
    let providers = providers.replaced(&ground.auth_providers, &spawner, &variables).providers();
    let opening = ServerOpening {
        id,
        server,
        workspace: ground.folder,
        variables: ground.variables,
        spawner: &spawner,
        providers: &providers,
        login: ground.logins.as_ref().map(|logins| {
            let owner = Principal::local_user();
            LoginAccess::of(logins, entry, owner.as_str(), ground.folder, ground.variables)
        }),
        asker: Arc::new(NobodyToAsk),
        events: Arc::new(TokenEars { masker: ground.masker.clone() }),
        known: spoken.and_then(|spoken| spoken.parse().ok()),
        callers: None,
        limits: MessageLimits::DEFAULT,
        spill: None,
        // It may run already, and what it writes is one process's at a time.
        packages: packages.map(|(key, kept)| ServerPackages { kept, key, keeps_data: false }),
    };
    let connection = opening.open().await?;
    let revision = connection.handshake().revision;
    if let Some(store) = store {
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

/// What a local server would see behind its walls; `None` where it has none, or is no local process.
pub async fn sandbox_view(
    id: &ServerId,
    entry: &Entry<Server>,
    ground: &TestGround<'_>,
    store: Option<&dyn Store>,
) -> Result<Option<SandboxView>, SpawnError> {
    let server = &entry.value;
    let Transport::Stdio(stdio) = &server.transport else { return Ok(None) };
    let spawner = walled(ground.walls.clone());
    let mut description = described(stdio, ground.folder, ground.variables);
    let mut room = room_of(server, ground.folder);
    let key = package_key(id, entry, ground.project.as_deref());
    let kept = store.and_then(|store| package_store(ground, &spawner, store));
    if let (Some(key), Some(kept)) = (key, kept)
        && let Ok(Some(packages)) = PackageServer::of(stdio)
        && let Ok(Some(installed)) = kept.found(&key, &packages, Some(ground.folder)).await
    {
        installed.furnish(&mut description, &mut room);
    }
    let confinement = stdio.confinement.clone();
    let stderr = stdio.stderr;
    let conditions = SpawnConditions { confinement, room, stderr, network_listener: None };
    spawner.view(&description, &conditions)
}

/// The same of a command tool.
pub fn tool_sandbox_view(
    tool: &Entry<CommandTool>,
    ground: &TestGround<'_>,
) -> Result<Result<Option<SandboxView>, SpawnError>, CommandError> {
    let spawner = walled(ground.walls.clone());
    command_view(tool, (ground.folder, ground.variables), &spawner)
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

/// Nobody listens to what a server says during a test; but a token that it is shown may stand in what comes
/// of it.
struct TokenEars {
    masker: Masker,
}

impl EventSink for TokenEars {
    fn event(&self, _: &ServerId, _: ServerEvent) {}

    fn shown_token(&self, token: &Secret) {
        self.masker.learn(&Masker::builder().secret(token).build());
    }
}
