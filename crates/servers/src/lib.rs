//! The first-party suite: typed MCP servers in process. Today there is `repo`; `docs` and
//! `workflow` are still to come.
//!
//! They are reached on the same path as any other server and hold no privilege of their own: what
//! the [`manifest`] recommends is for the host to grant.

mod ending;
mod manifest;
mod repo;
mod tool;

pub use manifest::{Manifest, Offer, manifest};
pub use repo::{
    Bounds, FileLines, FileText, Line, ListFiles, Listing, PrivatePlaces, ReadFile, Refusal, Repo,
    Search, SearchResults, repo,
};
pub use tool::{Output, Tool};
