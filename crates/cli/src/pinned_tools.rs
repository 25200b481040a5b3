//! What every verb shows of pins: the tools of the servers that are configured here, as they were
//! accepted, and the question that accepts them as they are now.

mod instructions;
mod interrupt;
mod list_now;
mod shown;

use std::time::SystemTime;

use serde_json::value::RawValue;
use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{find_server, unknown_server};
use toolgate_guard::{DefinitionDrift, compare};
use toolgate_store::{Pin, PinKey, Pins as _, ProjectRoot};
use toolgate_terminal::CommandOutput;
use toolgate_types::{EntryStanding, LayerGrade, ServerId, Trust, since_1970, visible};

use crate::failure::CliFailure;
use crate::surroundings::{Surroundings, wait};
use crate::trust_standing;
pub(crate) use instructions::accept_instructions;
use interrupt::EndsAtInterrupt;
pub(crate) use list_now::list_now;
use shown::shown;

/// A server with what is pinned of it.
pub(crate) struct PinnedServer {
    pub(crate) key: PinKey,
    /// `None`: its entry is pending.
    pub(crate) trust: Option<Trust>,
    pub(crate) pins: Vec<Pin>,
    /// What it says of how to use it, in the form of a tool; nothing where that reaches nobody.
    pub(crate) instructions: Option<Pin>,
}

impl PinnedServer {
    /// Whether a tool is hidden until a person accepts it by name.
    pub(crate) fn is_unnamed(&self, pin: &Pin) -> bool {
        self.trust == Some(Trust::Untrusted) && !pin.named
    }

    /// The tools that a person can say something about: those that changed, and those that are
    /// hidden until they are accepted by name.
    pub(crate) fn open(&self) -> Vec<&Pin> {
        let is_open = |pin: &&Pin| pin.live.is_some() || self.is_unnamed(pin);
        self.pins.iter().filter(is_open).collect()
    }

    /// The tools, and what the server says of how to use it.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Pin> {
        self.pins.iter().chain(&self.instructions)
    }

    pub(crate) fn is_instructions(&self, pin: &Pin) -> bool {
        self.instructions.as_ref().is_some_and(|own| std::ptr::eq(own, pin))
    }

    /// In a word or two.
    pub(crate) fn state(&self, pin: &Pin) -> String {
        match drift(pin) {
            Some(drift) => format!("changed ({})", drift.severity),
            None if self.is_unnamed(pin) => "not accepted by name".to_owned(),
            None => "accepted".to_owned(),
        }
    }
}

/// What changed since a tool was accepted.
pub(crate) fn drift(pin: &Pin) -> Option<DefinitionDrift> {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
    Some(compare(&raw(&pin.accepted)?, &raw(pin.live.as_deref()?)?))
}

/// The servers that are configured here, in the order of writing.
pub(crate) fn pinned(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
) -> Result<Vec<PinnedServer>, CliFailure> {
    let known = surroundings.acceptances(loaded)?;
    let root = ProjectRoot::of(&loaded.project_root).ok();
    let store = surroundings.store_to_read()?;
    let mut all = Vec::new();
    for (id, entry) in &loaded.config.servers {
        let standing = trust_standing::server_standing(id.as_str(), entry, &known);
        let trust = match standing {
            EntryStanding::Accepted(trust) => Some(trust),
            EntryStanding::Pending(_) => None,
        };
        let root = root.clone().filter(|_| entry.origin.grade == LayerGrade::Project);
        let key = PinKey { root, server: id.clone() };
        let pins = wait(store.pins(&key))?;
        let instructions = wait(store.instructions(&key))?;
        let instructions = instructions.filter(|_| trust == Some(Trust::Trusted));
        let instructions = instructions.and_then(instructions::as_pin);
        all.push(PinnedServer { key, trust, pins, instructions });
    }
    Ok(all)
}

/// One of them by name.
pub(crate) fn find(
    surroundings: &Surroundings,
    loaded: &McpConfigLoadResult,
    server: &str,
) -> Result<PinnedServer, CliFailure> {
    find_server(loaded, server)?;
    let all = pinned(surroundings, loaded)?;
    let found = all.into_iter().find(|pinned| pinned.key.server.as_str() == server);
    found.ok_or_else(|| unknown_server(server, [] as [&str; 0]).into())
}

/// Shows each of these and asks; what was shown is what is accepted, whatever the server sends
/// meanwhile. How many were accepted, and how many not.
pub(crate) fn accept_each(
    pinned: &PinnedServer,
    tools: &[&Pin],
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<(usize, usize), CliFailure> {
    output.flush();
    let interruptible = EndsAtInterrupt::begin();
    let (mut accepted, mut left) = (Vec::new(), 0);
    for pin in tools {
        let question = format!("accept {}/{}?", pinned.key.server, visible(&pin.tool));
        match toolgate_terminal::confirm_about(&shown(&pinned.key.server, pin), "", &question) {
            true => accepted.push(pin.accepted_by_person(since_1970(SystemTime::now()))),
            false => left += 1,
        }
    }
    drop(interruptible);
    let count = accepted.len();
    if count > 0 {
        wait(surroundings.store()?.keep_pins(&pinned.key, accepted))?;
    }
    Ok((count, left))
}

/// Takes back that tools of a project's server were accepted by name. What they are known to be stays
/// known, so that a change is still seen as one.
pub(crate) fn unname(
    surroundings: &Surroundings,
    root: &ProjectRoot,
    server: &str,
) -> Result<(), CliFailure> {
    let Ok(server) = ServerId::parse(server) else { return Ok(()) };
    let (store, key) = (surroundings.store()?, PinKey { root: Some(root.clone()), server });
    let mut named: Vec<Pin> = wait(store.pins(&key))?.into_iter().filter(|pin| pin.named).collect();
    named.iter_mut().for_each(|pin| pin.named = false);
    Ok(wait(store.keep_pins(&key, named))?)
}
