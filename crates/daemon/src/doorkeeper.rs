//! Lets windows of agents in, with what each brought.
//!
//! Everything that a shim says is a project's word: the client's entry that started it may have come
//! with a cloned repository. So it names folders and files, and is given no say in anything else.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_assembly::WorkspaceContext;
use toolgate_config::{Variables, load_written};
use toolgate_control::hello::{FromShim, ShimHello};
use toolgate_gateway::socket::{AdmittedWindow, WindowAdmission};
use toolgate_gateway::{AttachedClient as Place, KnownCaller, LineNotice, WindowSwitches};
use toolgate_guard::ActingAs;
use toolgate_store::{ProjectRoot, Store};
use toolgate_types::{Principal, WindowMark, since_1970};

use crate::contexts::WorkspaceContexts;
use crate::lineage::AgentClients;
use crate::visitors::{AttachedVisitor, AttachedVisitors};
use crate::window_marks::{forget_closed_windows, off_for, window_mark};

/// Lets windows in.
pub(crate) struct Doorkeeper {
    pub(crate) contexts: Arc<WorkspaceContexts>,
    pub(crate) visitors: Arc<AttachedVisitors>,
    pub(crate) store: Arc<dyn Store>,
    /// What a window's later answers about variables go to.
    pub(crate) brought: mpsc::UnboundedSender<(String, Variables)>,
    pub(crate) stop: CancellationToken,
    /// Whether it may end when a newer one asks for that.
    pub(crate) may_retire: bool,
}

impl Doorkeeper {
    /// A window's context before it has brought any variable.
    fn context(&self, hello: &ShimHello) -> WorkspaceContext {
        let WorkspaceContext { folder, mut options } = self.contexts.of_folder(&hello.workspace);
        options.path.clone_from(&hello.config);
        if let Some(inline) = &hello.inline {
            options.env.insert("TOOLGATE_CONFIG_JSON".to_owned(), inline.clone());
        }
        WorkspaceContext { folder, options }
    }
}

#[async_trait]
impl WindowAdmission for Doorkeeper {
    async fn wanted(&self, hello: &ShimHello) -> Vec<String> {
        let options = self.context(hello).options;
        let found = tokio::task::spawn_blocking(move || load_written(&options).variables).await;
        found.map(|names| names.into_iter().collect()).unwrap_or_default()
    }

    async fn open(
        &self,
        hello: &ShimHello,
        peer: Option<u32>,
        wanted: &[String],
        brought: BTreeMap<String, String>,
    ) -> Result<AdmittedWindow, String> {
        let folder = real_folder(&hello.workspace)?;
        let role = hello.role.as_deref().map(ActingAs::parse).transpose();
        let role = role.map_err(|error| format!("that is no role: {error}"))?;
        let mut context = self.context(&ShimHello { workspace: folder, ..hello.clone() });
        context.take(wanted, brought);
        self.register(&context.folder).await;
        let key = self.contexts.enter(context);
        let (tell, told) = mpsc::unbounded_channel();
        let clients = AgentClients::of_window(peer);
        let requester = clients.requester();
        let window = window_mark(&clients);
        let switches = Arc::new(self.switches_of(window.as_ref()).await?);
        let its = (clients, Arc::clone(&switches));
        let presence = self.visitors.enter(AttachedVisitor::window(key.clone(), hello, its, tell));
        self.contexts.wake(&key).await;
        let (brought, from) = (self.brought.clone(), key.clone());
        let hear = Box::new(move |line: &[u8]| {
            if let Ok(FromShim::Variables { values }) = serde_json::from_slice(line) {
                let _ = brought.send((from.clone(), values));
            }
        });
        let (owner, client) = (KnownCaller::of(Principal::local_user()), hello.client.clone());
        let known = KnownCaller { client, shows_forms: true, ..owner };
        Ok(AdmittedWindow {
            attached: Place { known, workspace: Some(key), role, requester, switches, window },
            aside: Some(LineNotice { hear, tell: told }),
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
    /// What an earlier daemon was told about this very window. What closed windows left is forgotten.
    async fn switches_of(&self, window: Option<&WindowMark>) -> Result<WindowSwitches, String> {
        forget_closed_windows(&*self.store).await;
        let Some(window) = window else { return Ok(WindowSwitches::default()) };
        let switches = self.store.switches().await.map_err(|error| error.to_string())?;
        Ok(WindowSwitches::new(off_for(&switches, window)))
    }

    /// The folder gets its name for URLs. One that cannot be kept only has none.
    async fn register(&self, folder: &Path) {
        if let Ok(root) = ProjectRoot::of(folder) {
            let _ = self.store.keep_workspace(&root, since_1970(SystemTime::now())).await;
        }
    }
}

/// A window works in a folder that is there; by its real name, so that links make no second one.
pub(crate) fn real_folder(folder: &Path) -> Result<std::path::PathBuf, String> {
    let shown = toolgate_types::visible(&folder.display().to_string());
    let real = folder.canonicalize().map_err(|error| format!("the folder {shown}: {error}"))?;
    match folder.is_absolute() && real.is_dir() {
        true => Ok(real),
        false => Err(format!("{shown} is no folder")),
    }
}
