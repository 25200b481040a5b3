//! Who makes the hosts behind a gateway, and what for.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_host::Host;
use toolgate_types::config::Naming;
use toolgate_types::{
    Asker, HostListener, Principal, QuestionAnswer, QuestionKind, ServerQuestion,
};

use crate::hub::NewsHub;

/// Who makes hosts.
#[async_trait]
pub trait HostMaker: Send + Sync {
    /// `None` where there is no such workspace; the reason where there is one and it cannot be
    /// served.
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String>;

    /// One that was made is not used any more, and its servers are closed.
    fn let_go(&self, _host: &Host) {}
}

impl fmt::Debug for WantedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WantedHost").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// Which host is wanted, and whom it speaks with.
pub struct WantedHost {
    /// The id of a registered workspace; `None` is the one the gateway was started in.
    pub workspace: Option<String>,
    pub principal: Principal,
    /// Whose servers it uses.
    pub owner: Principal,
    pub(crate) hub: Arc<NewsHub>,
}

impl WantedHost {
    /// To be made the host's listener; whoever else wants to be told is told by it.
    pub fn listener(&self, also: Option<Arc<dyn HostListener>>) -> Arc<dyn HostListener> {
        if let Some(also) = also {
            self.hub.tell_also(also);
        }
        Arc::clone(&self.hub) as _
    }

    /// To be made the host's asker.
    pub fn asker(&self) -> Arc<dyn Asker> {
        Arc::new(QuestionRelay)
    }
}

/// A host, and the folder it is for.
#[derive(Debug)]
pub struct HostedFolder {
    pub host: Host,
    pub folder: PathBuf,
    /// The form of its names, where no client and no setting of the gateway has a say in it.
    pub naming: Option<Naming>,
}

/// For the host as a whole: servers are told that questions can be asked, and each one goes to the
/// client whose request it is about. One that is about no request has nobody to answer it.
#[derive(Debug, Clone, Copy)]
struct QuestionRelay;

#[async_trait]
impl Asker for QuestionRelay {
    fn answers(&self, _: QuestionKind) -> bool {
        true
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        QuestionAnswer::NoChannel
    }
}
