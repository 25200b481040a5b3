//! The result of a list request, item by item.
//!
//! Each item stands for itself: one that cannot be used is set aside with a reason and the others
//! stay. An item keeps every byte, so unknown members and the spelling of numbers go on. Following
//! cursors, and what two items of one name mean, is for the caller.

mod page;

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

pub use page::{CacheScope, ListPage};

use crate::json::JsonError;
use crate::{RawObject, method};

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListMethod {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl ListMethod {
    pub const ALL: [Self; 4] =
        [Self::Tools, Self::Resources, Self::ResourceTemplates, Self::Prompts];

    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST,
            Self::Resources => method::RESOURCES_LIST,
            Self::ResourceTemplates => method::RESOURCES_TEMPLATES_LIST,
            Self::Prompts => method::PROMPTS_LIST,
        }
    }

    /// The member of the result that holds the items.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }

    /// The member of an item that it is called by.
    pub fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }
}

/// An item that can be called by its key.
#[derive(Debug, Clone)]
pub struct ListItem<'a> {
    /// The name, URI or URI template.
    pub key: Cow<'a, str>,
    pub object: RawObject<'a>,
}

impl<'a> ListItem<'a> {
    /// The item as it came.
    pub fn raw(&self) -> &'a RawValue {
        self.object.raw()
    }
}

/// An item that is left out.
#[derive(Debug, Clone)]
pub struct SetAside<'a> {
    /// Its place in the page, from 0.
    pub index: usize,
    pub raw: &'a RawValue,
    pub reason: OddItem,
}

/// Why an item is left out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OddItem {
    #[error("not an object")]
    NotAnObject,
    #[error("has no `{key}`")]
    NoKey { key: &'static str },
    #[error("`{key}` is not a string")]
    KeyNotText { key: &'static str },
    #[error("`{key}` is empty")]
    EmptyKey { key: &'static str },
    #[error(transparent)]
    Json(#[from] JsonError),
}

/// Why a whole result is no list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ListError {
    #[error("the result is not an object")]
    NotAnObject,
    #[error("the result has no list `{member}`")]
    NoList { member: &'static str },
    #[error(transparent)]
    Json(#[from] JsonError),
}

#[cfg(test)]
mod tests;
