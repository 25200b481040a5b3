//! The definitions of tools as they were accepted, and what their servers send where that differs.
//!
//! A definition is text here and compared byte for byte: any other byte is another definition. How
//! much two differ is the guard's to say, what to do about it the host's.

mod instructions;
mod observed;

use async_trait::async_trait;
use toolgate_types::{PinnedBy, ServerId};

use crate::{ProjectRoot, StoreError};

pub use instructions::{ObservedInstructions, PinnedInstructions};
pub use observed::{ObservedTools, SeenTool};

#[async_trait]
pub trait Pins: Send + Sync {
    /// The pins of one server, by tool.
    async fn pins(&self, key: &PinKey) -> Result<Vec<Pin>, StoreError>;

    /// All there are, by server and tool; those of a person's own entries come first.
    async fn all_pins(&self) -> Result<Vec<(PinKey, Pin)>, StoreError>;

    /// Keeps these, all or none; an earlier one of the same tool is replaced whole.
    async fn keep_pins(&self, key: &PinKey, pins: Vec<Pin>) -> Result<(), StoreError>;

    /// Holds what a server sends against its pins, as [`ObservedTools::of`] does, and keeps what comes of
    /// it. One step: nothing that another process accepts meanwhile is lost.
    async fn observe_tools(
        &self,
        key: &PinKey,
        seen: Vec<SeenTool>,
        at: u64,
    ) -> Result<ObservedTools, StoreError>;

    /// A person's word for what these tools are now, or all of them where none is named. `named`
    /// says whether it was given for the tool itself and not for its server. Gives the tools for
    /// which that is news.
    async fn accept_pins(
        &self,
        key: &PinKey,
        tools: &[String],
        named: bool,
        at: u64,
    ) -> Result<Vec<String>, StoreError>;

    /// What a server says of how to use it, as it was accepted.
    async fn instructions(&self, key: &PinKey) -> Result<Option<PinnedInstructions>, StoreError>;

    /// Keeps this; an earlier one of the same server is replaced whole.
    async fn keep_instructions(
        &self,
        key: &PinKey,
        pin: PinnedInstructions,
    ) -> Result<(), StoreError>;

    /// Holds what a server says of how to use it against what is accepted, as
    /// [`ObservedInstructions::of`] does, and keeps what comes of it. One step, as for tools.
    async fn observe_instructions(
        &self,
        key: &PinKey,
        said: &str,
        at: u64,
    ) -> Result<ObservedInstructions, StoreError>;

    /// Forgets all pins of one server, those of its instructions too, and says of how many tools.
    async fn forget_pins(&self, key: &PinKey) -> Result<usize, StoreError>;
}

/// Whose tools are pinned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinKey {
    /// The project that brought the entry. A person's own is pinned once for all workspaces, so
    /// that a change is seen in every one of them.
    pub root: Option<ProjectRoot>,
    pub server: ServerId,
}

/// One tool. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    pub tool: String,
    /// The definition, exactly as it was sent.
    pub accepted: String,
    pub accepted_at: u64,
    pub by: PinnedBy,
    /// A person accepted this very tool, which is what shows a tool of a server that is not trusted.
    pub named: bool,
    /// What the server sent last, where that differs.
    pub live: Option<String>,
    /// When that was first seen.
    pub seen_at: Option<u64>,
}

impl Pin {
    /// The same as a person accepts it now, by its name: what the server sent last.
    #[must_use]
    pub fn accepted_by_person(&self, now: u64) -> Self {
        Self {
            tool: self.tool.clone(),
            accepted: self.live.clone().unwrap_or_else(|| self.accepted.clone()),
            accepted_at: now,
            by: PinnedBy::Person,
            named: true,
            live: None,
            seen_at: None,
        }
    }

    /// A person accepts it as it is now; `false` if that changes nothing.
    pub(crate) fn accept(&mut self, named: bool, at: u64) -> bool {
        let is_news = self.live.is_some() || self.by != PinnedBy::Person || self.named != named;
        if is_news {
            if let Some(live) = self.live.take() {
                self.accepted = live;
            }
            (self.accepted_at, self.seen_at) = (at, None);
            (self.by, self.named) = (PinnedBy::Person, named);
        }
        is_news
    }

    /// How much there is to keep of it.
    fn bytes(&self) -> usize {
        self.tool.len() + self.accepted.len() + self.live.as_ref().map_or(0, String::len)
    }
}

/// Whether a tool is meant by this choice; an empty one means all.
pub(crate) fn is_meant(tools: &[String], tool: &str) -> bool {
    tools.is_empty() || tools.iter().any(|one| one == tool)
}
