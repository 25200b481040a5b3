//! `toolgate serve` where a daemon runs already: it listens on one more address, for as long as the
//! process that asked for it is there.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use toolgate_control::{
    CommandFailure, ENDPOINT_OPENED, EndpointEnd, EndpointOpened, EndpointRequest,
};
use toolgate_gateway::Gateway;
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_types::config::{CallerAuth, Naming};

use super::{PersonCommands, written};
use crate::endpoint::{EndpointChoice, EndpointHosts, EndpointPresence, refuse_open_door};
use crate::lineage;
use crate::visitors::{AttachedVisitor, WindowPresence};

/// The name under which whoever keeps an endpoint open is shown.
const SHOWN_AS: &str = "toolgate serve";

/// An endpoint that is open, with everything that ends with it.
struct AddedEndpoint {
    gateway: Gateway,
    hosts: Arc<EndpointHosts>,
    listener: TcpListener,
    _shown: EndpointPresence,
    /// The daemon stays for as long as it is there.
    _presence: WindowPresence,
}

impl PersonCommands {
    /// Opens an endpoint, tells that it is open, and closes it when whoever wanted it leaves.
    pub(super) async fn open_endpoint(
        &self,
        params: Option<&RawValue>,
        peer: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        let wish = params.map_or("null", RawValue::get);
        let wish: EndpointRequest = serde_json::from_str(wish)
            .map_err(|error| CommandDeclined::Params(error.to_string()))?;
        if wish.version != env!("CARGO_PKG_VERSION") {
            return Err(CommandDeclined::Params("it is another version".to_owned()));
        }
        let endpoint = match self.add_endpoint(&wish, peer).await {
            Ok(endpoint) => endpoint,
            Err(failure) => return written(&EndpointEnd::NotOpened(failure)),
        };
        let stop = self.stop.child_token();
        // However this ends, also where nobody waits for it any more.
        let _closing = stop.clone().drop_guard();
        let closed = tokio::spawn(endpoint.serve(stop.clone()));
        tokio::select! {
            () = peer.given_up().cancelled() => {}
            () = stop.cancelled() => {}
        }
        stop.cancel();
        let _ = closed.await;
        written(&EndpointEnd::Closed)
    }

    async fn add_endpoint(
        &self,
        wish: &EndpointRequest,
        peer: &ControlPeer,
    ) -> Result<AddedEndpoint, CommandFailure> {
        self.refuse_endpoint_to_agents(peer).await?;
        let auth = CallerAuth::parse(&wish.auth);
        let (Some(auth), Some(naming)) = (auth, Naming::parse(&wish.naming)) else {
            return Err(CommandFailure::new("the daemon does not know these words"));
        };
        let choice = EndpointChoice { listen: wish.listen, auth, naming };
        let context = self.context(&wish.standpoint).map_err(CommandFailure::new)?;
        let (loaded, _) = self.contexts.look(&context).await.map_err(CommandFailure::new)?;
        refuse_open_door(choice.listen, auth, &loaded.config)?;
        let own = (loaded.global_file.clone(), self.contexts.state_folder()?);
        if own != wish.standpoint.own {
            let why = "the daemon that runs has another configuration of your own";
            return Err(CommandFailure::new(why).hint("`toolgate stop` ends it"));
        }
        let (listener, address) = choice.bind().await?;
        let key = self.contexts.enter(context);
        let visitor = AttachedVisitor::command(key.clone(), SHOWN_AS.to_owned(), peer.pid);
        let presence = self.visitors.enter(visitor);
        self.contexts.wake(&key).await;
        let hosts = EndpointHosts::new(&self.contexts, key.clone());
        let maker = Arc::clone(&hosts) as _;
        let settings = choice.settings(
            &loaded.config,
            maker,
            (&self.contexts, Some(key)),
            &self.visitors,
            &self.store,
        )?;
        let scheme = loaded.config.gateway.entrance.scheme();
        let opened = to_raw_value(&EndpointOpened { address }).map_err(CommandFailure::new)?;
        peer.tell_surely(ENDPOINT_OPENED, &opened).await;
        tracing::info!(target: "toolgate", %address, "an endpoint was opened");
        Ok(AddedEndpoint {
            gateway: self.gateway.beside(settings),
            hosts,
            listener,
            _shown: self.endpoints.open(scheme, address),
            _presence: presence,
        })
    }

    /// The verb is refused to them before it runs; who speaks here without it is refused too.
    async fn refuse_endpoint_to_agents(&self, peer: &ControlPeer) -> Result<(), CommandFailure> {
        let (pid, visitors) = (peer.pid, Arc::clone(&self.visitors));
        let looked = tokio::task::spawn_blocking(move || {
            // Nobody has the number zero: one that cannot be seen from here.
            visitors.may_have_started(&lineage::chain_of(pid.unwrap_or(0)))
        });
        match looked.await {
            Ok(false) => Ok(()),
            _ => Err(CommandFailure::new("an agent's program cannot have this done")
                .exits(toolgate_control::CommandExit::Denied)),
        }
    }
}

impl AddedEndpoint {
    /// Serves until it is stopped; what is under way then is finished, for a while.
    async fn serve(self, stop: CancellationToken) {
        let Self { gateway, hosts, listener, _shown, _presence } = self;
        let address = listener.local_addr();
        gateway.serve(listener, stop).await;
        gateway.close().await;
        hosts.let_go();
        if let Ok(address) = address {
            tracing::info!(target: "toolgate", %address, "an endpoint was closed");
        }
    }
}
