//! Resources of the program itself: what can be read by an address.
//!
//! Servers' resources are passed on as they come and are never read into this.

use async_trait::async_trait;

/// Who has resources.
#[async_trait]
pub trait ResourceProvider: Send + Sync {
    /// Some of them, from a cursor on that this gave.
    async fn list(&self, cursor: Option<&str>) -> Result<ResourcePage, ResourceRefusal>;

    fn templates(&self) -> Vec<OfferedTemplate>;

    async fn read(&self, uri: &str) -> Result<ResourceText, ResourceRefusal>;
}

/// A part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourcePage {
    pub resources: Vec<OfferedResource>,
    /// Where to go on.
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedResource {
    pub uri: String,
    pub name: String,
    pub mime: &'static str,
    pub size: Option<u64>,
}

/// Addresses that follow a pattern (RFC 6570).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedTemplate {
    pub uri_template: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub mime: Option<&'static str>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    pub uri: String,
    pub mime: &'static str,
    pub text: String,
}

/// Why nothing was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResourceRefusal {
    #[error("there is no resource `{0}`")]
    NotFound(String),
    #[error("{0}")]
    Refused(String),
}
