//! The first-party suite: typed tools in process, as the servers `repo`, `docs` and `workflow`.
//!
//! They are reached on the same path as any other server and hold no privilege of their own: what
//! the [`manifest`] recommends is for the host to grant.

mod docs;
mod json_query;
mod manifest;
mod path_uri;
mod repo;
mod served_tool;
mod tool;
mod work_turns;
mod workflow;

pub use docs::{
    DocHit, DocHits, DocSection, DocsBounds, DocsServer, FurtherFolder, ReadDoc, SearchDocs,
};
pub use json_query::{answer_query_if_asked, query_arguments};
pub use manifest::{FirstPartyServer, manifest};
pub use repo::{
    BlamedLines, ChangeKind, ChangedFile, EditFile, FileLines, FileText, FileWritten,
    FolderListing, FoundLine, GitBlame, GitBlamed, GitDiff, GitDiffed, GitHistory, GitLog, GitShow,
    GitShown, GitState, GitStatus, ListFiles, PrivatePlaces, ReadFile, RepoBounds, RepoRefusal,
    RepoServer, Search, SearchResults, ShownCommit, StatusPath, WriteFile,
};
#[cfg(feature = "outline")]
pub use repo::{FileOutline, Outline, OutlineItem};
pub use tool::{BuiltinTool, BuiltinToolOutput, OfferedTool};
pub use workflow::{
    ArtifactMatch, ArtifactMatches, ArtifactPart, ArtifactQuery, ArtifactRead, ArtifactSearch,
    KeptNoteNumber, NoteAdd, NoteList, NoteText, NotesList, PlanGet, PlanSet, PlanStep, QueryPipes,
    QueryResults, QueryStarter, StepState, WorkPlan, WorkflowRefusal, WorkflowServer,
};
