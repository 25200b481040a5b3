//! A prompt of the program itself: words that a person chooses for their agent.
//!
//! Servers' prompts are passed on as they come and are never read into this.

use std::collections::BTreeMap;

use async_trait::async_trait;

/// Something that a person has an agent begin with.
#[async_trait]
pub trait Prompt: Send + Sync {
    fn name(&self) -> &str;

    fn title(&self) -> &str;

    fn description(&self) -> &str;

    fn arguments(&self) -> &[PromptArgument];

    /// The words for these arguments, as a person would say them; else why there are none.
    async fn get(&self, arguments: &BTreeMap<String, String>) -> Result<String, PromptRefusal>;
}

/// What a prompt asks for before it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// Why there is no prompt, for the person who chose it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PromptRefusal(pub String);
