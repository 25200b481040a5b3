//! What a list of tools costs whoever is given it.

use serde::{Deserialize, Serialize};

use crate::config::Exposure;

/// How long a list is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFigures {
    /// How many tools are in it.
    pub tools: usize,
    /// What it costs a model, about: a token for four bytes of names, descriptions and schemas.
    pub tokens: usize,
}

impl ListFigures {
    /// Of tools that are so long together.
    pub fn of_bytes(tools: usize, bytes: usize) -> Self {
        Self { tools, tokens: bytes.div_ceil(4) }
    }
}

/// What the list of one audience costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListCost {
    /// The role whose list it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The client whose list it is, where something of its own is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// As it is configured,
    pub exposure: Exposure,
    /// and what that comes to: `direct` or `meta`.
    pub lists: Exposure,
    /// The list as it is,
    pub listed: ListFigures,
    /// as it would be with all tools in it,
    pub direct: ListFigures,
    /// and with the meta tools in their place.
    pub meta: ListFigures,
    /// How many tokens that is less.
    pub meta_saves: usize,
    /// What the tools of each server cost where all of them are listed, the most expensive first.
    pub servers: Vec<ServerListCost>,
}

/// What the tools of one server cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerListCost {
    pub server: String,
    #[serde(flatten)]
    pub figures: ListFigures,
}

impl ListCost {
    /// Whose list it is, in a word or two.
    pub fn reader(&self) -> String {
        let role = self.role.as_ref().map(|role| format!("role {role}"));
        let client = self.client.as_ref().map(|client| format!("client {client}"));
        let words: Vec<_> = client.into_iter().chain(role).collect();
        if words.is_empty() { "everybody".to_owned() } else { words.join(", ") }
    }
}
