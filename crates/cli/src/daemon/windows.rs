//! The windows of agents that are attached: what each brought, and who is there.
//!
//! Everything that a shim says is a project's word: the client's entry that started it may have come
//! with a cloned repository. So it names folders and files, and is given no say in anything else.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use async_trait::async_trait;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use toolgate_assembly::WorkspaceContext as Context;
use toolgate_config::{Variables, load};
use toolgate_control::AttachedWindow;
use toolgate_control::hello::{FromDaemon, FromShim, Hello, line};
use toolgate_gateway::socket::{Window, Windows};
use toolgate_gateway::{Aside, Attached as Place, Known};
use toolgate_store::{ProjectRoot, Store};
use toolgate_types::{Principal, Requester, RoleId, since_1970};

use crate::contexts::{Contexts, lock};
use toolgate_control::procfs::{self, ProcessIdentity};
use toolgate_daemon::lineage::{self, Attachment, Chain, Clients, HttpCallers};

/// A window that is attached.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) key: String,
    pub(crate) client: Option<String>,
    pub(crate) role: Option<String>,
    /// Whose descendants may not approve what it asks for.
    pub(crate) clients: Clients,
    kind: Kind,
    pub(crate) since: SystemTime,
    tell: mpsc::UnboundedSender<Vec<u8>>,
}

/// What is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A window of an agent.
    Window,
    /// A command of the person's own, for as long as it runs.
    Command,
}

/// Everybody who is attached.
#[derive(Default)]
pub(crate) struct Visitors {
    all: Mutex<BTreeMap<u64, Visitor>>,
    /// Those who come over HTTP.
    pub(crate) callers: Arc<HttpCallers>,
    /// Somebody came or left.
    pub(crate) changed: Notify,
    /// The same, kept for the one who looks after contexts.
    pub(crate) noted: Notify,
}

impl Visitors {
    pub(crate) fn all(&self) -> Vec<Visitor> {
        lock(&self.all).values().cloned().collect()
    }

    /// Whether an agent that is attached may have started the process of this chain; or we did,
    /// since a server does what agents call for.
    pub(crate) fn may_have_started(&self, chain: &Chain) -> bool {
        let ourselves = Clients::only(procfs::process(std::process::id()));
        ourselves.may_have_started(chain)
            || self.callers.clients().may_have_started(chain)
            || self.windows().any(|window| window.clients.may_have_started(chain))
    }

    /// Whether any agent is attached, or called and still runs.
    pub(crate) fn has_agents(&self) -> bool {
        self.windows().next().is_some() || !self.callers.clients().processes.is_empty()
    }

    /// Whether a person may be asked through this caller itself.
    pub(crate) fn may_be_asked(&self, requester: &Requester) -> bool {
        let asked = match requester {
            // Where nobody can be looked at, nobody is held to be out of sight.
            Requester::Processes { .. } if !lineage::is_told() => return true,
            Requester::Processes { processes, .. } => {
                let shim = processes.first().map(|&(pid, start)| ProcessIdentity { pid, start });
                let is_it = |window: &Visitor| window.clients.processes.first() == shim.as_ref();
                let Some(window) = self.windows().find(is_it) else { return false };
                Attachment::Window(window.clients)
            }
            Requester::Peer(link) => Attachment::Connection(self.callers.holding(link)),
            Requester::Unknown => return false,
        };
        let windows = self.windows().map(|window| Attachment::Window(window.clients));
        let callers = Attachment::Connection(self.callers.clients());
        let others: Vec<Attachment> = windows.chain([callers]).collect();
        lineage::may_be_asked(&asked, &others)
    }

    fn windows(&self) -> impl Iterator<Item = Visitor> {
        self.all().into_iter().filter(|visitor| visitor.kind == Kind::Window)
    }

    fn tell(&self) {
        self.changed.notify_waiters();
        self.noted.notify_one();
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.all).is_empty()
    }

    /// Whether anybody is in the context with this key.
    pub(crate) fn is_in(&self, key: &str) -> bool {
        lock(&self.all).values().any(|visitor| visitor.key == key)
    }

    pub(super) fn enter(self: &Arc<Self>, visitor: Visitor) -> Presence {
        let mut all = lock(&self.all);
        let number = all.last_key_value().map_or(0, |(number, _)| number + 1);
        all.insert(number, visitor);
        drop(all);
        self.tell();
        Presence { visitors: Arc::clone(self), number }
    }
}

/// While it is held, a window is there.
pub(super) struct Presence {
    visitors: Arc<Visitors>,
    number: u64,
}

impl Drop for Presence {
    fn drop(&mut self) {
        lock(&self.visitors.all).remove(&self.number);
        self.visitors.tell();
    }
}

/// Lets windows in.
pub(crate) struct Doorkeeper {
    pub(crate) contexts: Arc<Contexts>,
    pub(crate) visitors: Arc<Visitors>,
    pub(crate) store: Arc<dyn Store>,
    /// What a window's later answers about variables go to.
    pub(crate) brought: mpsc::UnboundedSender<(String, Variables)>,
    pub(crate) stop: CancellationToken,
    /// Whether it may end when a newer one asks for that.
    pub(crate) may_retire: bool,
}

impl Doorkeeper {
    /// A window's context before it has brought any variable.
    fn context(&self, hello: &Hello) -> Context {
        let Context { folder, mut options } = self.contexts.of_folder(&hello.workspace);
        options.path.clone_from(&hello.config);
        if let Some(inline) = &hello.inline {
            options.env.insert("TOOLGATE_CONFIG_JSON".to_owned(), inline.clone());
        }
        Context { folder, options }
    }
}

#[async_trait]
impl Windows for Doorkeeper {
    async fn wanted(&self, hello: &Hello) -> Vec<String> {
        let options = self.context(hello).options;
        let found = tokio::task::spawn_blocking(move || load(&options).variables).await;
        found.map(|names| names.into_iter().collect()).unwrap_or_default()
    }

    async fn open(
        &self,
        hello: &Hello,
        peer: Option<u32>,
        variables: BTreeMap<String, String>,
    ) -> Result<Window, String> {
        let folder = real_folder(&hello.workspace)?;
        let role = hello.role.as_deref().map(RoleId::parse).transpose();
        let role = role.map_err(|error| format!("that is no role: {error}"))?;
        let mut context = self.context(&Hello { workspace: folder, ..hello.clone() });
        context.take(&self.wanted(hello).await, variables);
        self.register(&context.folder).await;
        let key = self.contexts.enter(context);
        let (tell, told) = mpsc::unbounded_channel();
        let clients = Clients::of_window(peer);
        let requester = clients.requester();
        let presence = self.visitors.enter(Visitor {
            key: key.clone(),
            client: hello.client.clone(),
            role: hello.role.clone(),
            clients,
            kind: Kind::Window,
            since: SystemTime::now(),
            tell,
        });
        self.contexts.wake(&key).await;
        let (brought, from) = (self.brought.clone(), key.clone());
        let hear = Box::new(move |line: &[u8]| {
            if let Ok(FromShim::Variables { values }) = serde_json::from_slice(line) {
                let _ = brought.send((from.clone(), values));
            }
        });
        let (principal, client) = (Principal::local_user(), hello.client.clone());
        let known = Known { principal, roles: None, client, shows_forms: true };
        Ok(Window {
            attached: Place { known, workspace: Some(key), role, requester },
            aside: Some(Aside { hear, tell: told }),
            presence: Box::new(presence),
        })
    }

    fn retire(&self) -> bool {
        let retires = self.may_retire && self.visitors.is_empty();
        if retires {
            self.stop.cancel();
        }
        retires
    }
}

impl Doorkeeper {
    /// The folder gets its name for URLs. One that cannot be kept only has none.
    async fn register(&self, folder: &Path) {
        if let Ok(root) = ProjectRoot::of(folder) {
            let _ = self.store.keep_workspace(&root, since_1970(SystemTime::now())).await;
        }
    }
}

impl Visitor {
    /// A command of the person's own, for as long as it runs. It is asked for nothing later.
    pub(super) fn command(key: String, client: String, pid: Option<u32>) -> Self {
        let (tell, _) = mpsc::unbounded_channel();
        let (client, since) = (Some(client), SystemTime::now());
        let (clients, kind) = (Clients::of_command(pid), Kind::Command);
        Self { key, client, role: None, clients, kind, since, tell }
    }

    pub(crate) fn shown(&self) -> AttachedWindow {
        let process = match self.kind {
            Kind::Window => self.clients.heads.first().copied(),
            Kind::Command => self.clients.processes.first().copied(),
        };
        AttachedWindow {
            client: self.client.clone(),
            role: self.role.clone(),
            pid: process.map(|process| process.pid),
            since: since_1970(self.since),
        }
    }

    /// Asks for variables that its configuration wants since it changed.
    pub(crate) fn ask_for(&self, names: Vec<String>) {
        let (version, pid) = (env!("CARGO_PKG_VERSION").to_owned(), std::process::id());
        let mut wants = line(&FromDaemon::Wants { version, pid, variables: names });
        wants.pop();
        let _ = self.tell.send(wants);
    }
}

/// A window works in a folder that is there; by its real name, so that links make no second one.
pub(super) fn real_folder(folder: &Path) -> Result<std::path::PathBuf, String> {
    let shown = toolgate_types::visible(&folder.display().to_string());
    let real = folder.canonicalize().map_err(|error| format!("the folder {shown}: {error}"))?;
    match folder.is_absolute() && real.is_dir() {
        true => Ok(real),
        false => Err(format!("{shown} is no folder")),
    }
}
