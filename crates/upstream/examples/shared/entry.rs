//! Opens a server from a configuration given as text, for the programs of this folder.
//!
//! What a person types counts as accepted; environment and folder are those of the program.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use toolgate_sandbox::ProcessSpawner;
use toolgate_types::{Accepted, Asker, EntryStanding, EventSink, ServerEvent, ServerId, Trust};
use toolgate_upstream::{CredentialProviders, ServerOpening, UpstreamConnection};
use toolgate_wire::MessageLimits;

pub(crate) type Failure = Box<dyn Error>;

/// Opens the only server of a configuration in JSON.
pub(crate) async fn open(json: &str, asker: Arc<dyn Asker>) -> Result<UpstreamConnection, Failure> {
    let config = toolgate_config::parse_mcp_config(&serde_json::from_str(json)?)?;
    let (id, entry) = config.servers.first().ok_or("the configuration has no server")?;
    let standing = EntryStanding::Accepted(Trust::Trusted);
    let server =
        Accepted::new(&entry.value, &standing).map_err(|reason| format!("it is {reason}"))?;
    let opening = ServerOpening {
        id,
        server,
        workspace: &std::env::current_dir()?,
        variables: &std::env::vars().collect::<BTreeMap<_, _>>(),
        spawner: &ProcessSpawner::default(),
        providers: &CredentialProviders::new(),
        login: None,
        asker,
        events: Arc::new(Unheard),
        known: None,
        callers: None,
        limits: MessageLimits::DEFAULT,
        spill: None,
        packages: None,
    };
    Ok(opening.open().await?)
}

/// Nobody here listens to what a server says of its own accord.
struct Unheard;

impl EventSink for Unheard {
    fn event(&self, _: &ServerId, _: ServerEvent) {}
}

/// Runs `work` on one thread, after the point where this program may turn into the helper that
/// keeps child processes together.
pub(crate) fn run(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    toolgate_sandbox::init();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
