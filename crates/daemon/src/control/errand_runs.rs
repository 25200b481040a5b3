//! An errand that a command of the person's own brings: run by a host of its own, which has the
//! servers of all others, and in view of the person at the other end.
//!
//! It is as if the command's own process ran it: what the configuration names of that process's
//! environment counts, and its output is the same byte for byte. Beside it stands the host that
//! windows of that folder have, so that what was started for an errand is there for the next.

mod errand_person;

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::timeout;
use toolgate_assembly::{WorkspaceContext, add_own_servers};
use toolgate_control::{CommandFailure, ErrandEnd, ErrandRequest, Standpoint};
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_gateway::{AttachedClient, KnownCaller};
use toolgate_mask::Masker;
use toolgate_types::config::{Config, Entry, Server};
use toolgate_types::{Principal, Requester, ServerId};

use super::{PersonCommands, written};
use crate::contexts::LiveHost;
use crate::doorkeeper::real_folder;
use crate::visitors::AttachedVisitor;
use crate::{ChosenServers, Errand, ErrandHost, lock};
use errand_person::ErrandPerson;

/// How long the host of the folder may take to be there: some wait for servers that are required.
const PATIENCE: Duration = Duration::from_secs(2);

impl PersonCommands {
    pub(super) async fn run<E: Errand>(
        &self,
        params: Option<&RawValue>,
        peer: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        let params = params.map_or("null", RawValue::get);
        let sent: ErrandRequest<E> = serde_json::from_str(params)
            .map_err(|error| CommandDeclined::Params(error.to_string()))?;
        if sent.version != env!("CARGO_PKG_VERSION") {
            return Err(CommandDeclined::Params(format!(
                "it is version {}",
                env!("CARGO_PKG_VERSION")
            )));
        }
        written(&self.ended(sent, peer).await)
    }

    async fn ended<E: Errand>(
        &self,
        sent: ErrandRequest<E>,
        peer: &Arc<ControlPeer>,
    ) -> ErrandEnd<E::Product, E::Trouble> {
        let context = match self.context(&sent.standpoint) {
            Ok(context) => context,
            Err(why) => return ErrandEnd::Elsewhere(why),
        };
        let looked = self.contexts.look(&context).await;
        let (mut loaded, known) = match looked {
            Ok(looked) => looked,
            Err(why) => return ErrandEnd::NotDone(CommandFailure::new(why).into()),
        };
        add_own_servers(&mut loaded.config, &context);
        let own = (loaded.global_file.clone(), self.contexts.state_folder().unwrap_or_default());
        if own != sent.standpoint.own {
            return ErrandEnd::Elsewhere("it has another configuration of your own".to_owned());
        }
        let chosen = match ChosenServers::of(&sent.errand.wish(), &loaded, &known) {
            Ok(chosen) => chosen,
            Err(failure) => return ErrandEnd::NotDone(failure.into()),
        };
        let masker = Masker::of_config(&loaded.config, &context.options.env);
        let key = self.contexts.enter(context.clone());
        let client = format!("toolgate {}", sent.errand.verb());
        let visitor = AttachedVisitor::command(key.clone(), client, peer.pid);
        let requester = visitor.clients.requester();
        let _presence = self.visitors.enter(visitor);
        let kept = self.keep(key, &chosen.config).await;
        let person = Arc::new(ErrandPerson {
            peer: Arc::clone(peer),
            is_watched: sent.is_watched,
            answers: sent.answers,
            waits: sent.errand.wish().waits,
            visitors: Arc::clone(&self.visitors),
            witness: self.contexts.witness(&masker),
            is_kept: kept.is_some(),
            call: Mutex::default(),
        });
        let mut builder = self
            .contexts
            .assembly
            .for_command(&context, chosen.config.clone(), known, &masker)
            .listener(Arc::clone(&person) as _)
            .asker(Arc::clone(&person) as _);
        if let Some(kept) = &kept {
            builder = builder.beside(&kept.host);
        }
        let host = builder.build();
        let folder = &context.folder;
        let interrupted = peer.given_up().clone();
        let onlooker = Arc::clone(&person) as _;
        let mut hosted = ErrandHost::new(host.clone(), chosen, folder, onlooker, interrupted);
        hosted.attendant = Some(person.attendant());
        hosted.is_asked_here = sent.answers;
        hosted.requester = requester;
        hosted.log_level = sent.log_level;
        let ended = sent.errand.run(&hosted).await;
        match kept {
            // Servers stay with the host of the folder, until nobody uses them for a while.
            Some(_) => host.settle().await,
            None => host.close_all().await,
        }
        match ended {
            Ok(product) => ErrandEnd::Done(product),
            Err(trouble) => ErrandEnd::NotDone(trouble),
        }
    }

    /// Where the command was typed.
    pub(super) fn context(&self, standpoint: &Standpoint) -> Result<WorkspaceContext, String> {
        let folder = real_folder(&standpoint.folder)?;
        let WorkspaceContext { folder, mut options } = self.contexts.of_folder(&folder);
        options.path.clone_from(&standpoint.config);
        options.env.extend(standpoint.project.clone());
        let mut context = WorkspaceContext { folder, options };
        let names: Vec<String> = standpoint.variables.keys().cloned().collect();
        let set = standpoint.variables.iter();
        let set = set.filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        context.take(&names, set.collect());
        Ok(context)
    }

    /// The host of this context, so that servers outlive the errand; made where there is none, and
    /// brought up to date where its configuration changed a moment ago. `None` where it cannot be had
    /// soon.
    async fn keep(&self, key: String, config: &Config) -> Option<Arc<LiveHost>> {
        let known = KnownCaller::of(Principal::local_user());
        let place = AttachedClient {
            known,
            workspace: Some(key.clone()),
            role: None,
            requester: Requester::Unknown,
            switches: Arc::default(),
            window: None,
        };
        let gateway = self.gateway.clone();
        let keeping = tokio::spawn(async move { gateway.attach(place).await.is_ok() });
        let Ok(Ok(true)) = timeout(PATIENCE, keeping).await else { return None };
        let is_it = |live: &Arc<LiveHost>| {
            live.key.as_ref() == Some(&key) && live.principal == Principal::local_user()
        };
        let live = self.contexts.live().into_iter().find(is_it)?;
        let prepared = Arc::clone(&lock(&live.prepared));
        let is_known = |(id, entry): (&ServerId, &Entry<Server>)| {
            let known = prepared.config.servers.get(id);
            known.is_some_and(|known| known.fingerprint == entry.fingerprint)
        };
        if !config.servers.iter().all(is_known) {
            self.contexts.reload(&live).await;
        }
        Some(live)
    }
}
