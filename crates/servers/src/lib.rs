//! The first-party suite: typed tools in process. Today there is `repo`; `docs` and
//! `workflow` are still to come.
//!
//! They are reached on the same path as any other server and hold no privilege of their own: what
//! the [`manifest`] recommends is for the host to grant.

mod manifest;
mod repo;
mod tool;

pub use manifest::{FirstPartyServer, manifest};
pub use repo::{
    FileLines, FileText, FolderListing, FoundLine, ListFiles, PrivatePlaces, ReadFile, RepoBounds,
    RepoRefusal, RepoServer, Search, SearchResults,
};
pub use tool::{BuiltinTool, BuiltinToolOutput, OfferedTool};
