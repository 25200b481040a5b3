//! The servers of a configuration with what is pinned of them: their tools as they were accepted, what
//! changed since, and what that lets a person say.
//!
//! Nothing is accepted here: who asks a person, and keeps the answer, is somebody else.

mod instructions_pin;

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_config::McpConfigLoadResult;
use toolgate_guard::{DefinitionDrift, compare};
use toolgate_store::{Pin, PinKey, Pins, ProjectRoot, StoreError};
use toolgate_types::config::{CallRule, RuleEffect};
use toolgate_types::{
    Acceptances, Definition, Digest, EntryStanding, LayerGrade, Pattern, ServerId, Trust,
};

use crate::server_standing;
pub use instructions_pin::accepted_instructions;

/// A server with what is pinned of it.
#[derive(Debug)]
pub struct PinnedServer {
    pub key: PinKey,
    /// `None`: its entry is pending.
    pub trust: Option<Trust>,
    pub pins: Vec<Pin>,
    /// What it says of how to use it, in the form of a tool; nothing where that reaches nobody.
    pub instructions: Option<Pin>,
}

/// The servers that are configured, in the order of writing.
pub async fn pinned_servers(
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
    store: &dyn Pins,
) -> Result<Vec<PinnedServer>, StoreError> {
    let root = ProjectRoot::of(&loaded.project_root).ok();
    let mut all = Vec::new();
    for (id, entry) in &loaded.config.servers {
        let trust = match server_standing(id.as_str(), entry, known) {
            EntryStanding::Accepted(trust) => Some(trust),
            EntryStanding::Pending(_) => None,
        };
        let root = root.clone().filter(|_| entry.origin.grade == LayerGrade::Project);
        let key = PinKey { root, server: id.clone() };
        let pins = store.pins(&key).await?;
        let instructions = store.instructions(&key).await?;
        let instructions = instructions.filter(|_| trust == Some(Trust::Trusted));
        let instructions = instructions.and_then(instructions_pin::as_pin);
        all.push(PinnedServer { key, trust, pins, instructions });
    }
    Ok(all)
}

/// What changed since a tool was accepted.
pub fn pin_drift(pin: &Pin) -> Option<DefinitionDrift> {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
    Some(compare(&raw(&pin.accepted)?, &raw(pin.live.as_deref()?)?))
}

/// Takes back that tools of a project's server were accepted by name. What they are known to be stays
/// known, so that a change is still seen as one.
pub async fn unname_tools(
    store: &dyn Pins,
    root: &ProjectRoot,
    server: &str,
) -> Result<(), StoreError> {
    let Ok(server) = ServerId::parse(server) else { return Ok(()) };
    let key = PinKey { root: Some(root.clone()), server };
    let pins = store.pins(&key).await?.into_iter().filter(|pin| pin.named);
    let unnamed = pins.map(|pin| Pin { named: false, ..pin }).collect();
    store.keep_pins(&key, unnamed).await
}

impl PinnedServer {
    /// Whether a tool is hidden until a person accepts it by name.
    pub fn is_unnamed(&self, pin: &Pin) -> bool {
        self.trust == Some(Trust::Untrusted) && !pin.named
    }

    /// The tools that a person can say something about: those that changed, and those that are
    /// hidden until they are accepted by name.
    pub fn open(&self) -> Vec<&Pin> {
        let is_open = |pin: &&Pin| pin.live.is_some() || self.is_unnamed(pin);
        self.pins.iter().filter(is_open).collect()
    }

    /// The tools, and what the server says of how to use it.
    pub fn all(&self) -> impl Iterator<Item = &Pin> {
        self.pins.iter().chain(&self.instructions)
    }

    pub fn is_instructions(&self, pin: &Pin) -> bool {
        self.instructions.as_ref().is_some_and(|own| std::ptr::eq(own, pin))
    }

    /// The tools that count as accepted, by the hash of what was: what a lock says.
    pub fn accepted_tools(&self) -> BTreeMap<String, Digest> {
        let accepted = self.pins.iter().filter(|pin| !self.is_unnamed(pin));
        accepted.map(|pin| (pin.tool.clone(), accepted_digest(pin))).collect()
    }

    /// A rule that lets a tool run unasked: one that only reads, of a server of the person's own file
    /// that they trust, and only as it was defined when it was approved, which it still is.
    pub fn rule_for(&self, tool: &str, definition: Digest) -> Option<CallRule> {
        let pin = self.pins.iter().find(|pin| pin.tool == tool && pin.live.is_none())?;
        let is_own = self.key.root.is_none() && self.trust == Some(Trust::Trusted);
        let is_it = accepted_digest(pin) == definition;
        let raw = RawValue::from_string(pin.accepted.clone()).ok()?;
        let hints = Definition::new(pin.tool.clone(), raw).hints;
        let only_reads = hints.read_only == Some(true) && hints.destructive != Some(true);
        // What a pattern would read as something else is left out.
        let is_plain = tool.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        let tool = Pattern::parse(&format!("{}:{tool}", self.key.server)).ok()?;
        let (when, then) = (Vec::new(), RuleEffect::Allow);
        let rule = CallRule { tool, when, definition: Some(definition), then };
        (is_own && is_it && only_reads && is_plain).then_some(rule)
    }
}

fn accepted_digest(pin: &Pin) -> Digest {
    Digest(Sha256::digest(&pin.accepted).into())
}
