//! A second look at the files that an entry names, right before it is started: what a person accepted
//! may have changed since it was read.
//!
//! Whoever starts things asks; nothing is watched here.

use std::fmt;
use std::path::{Path, PathBuf};

use toolgate_types::LayerGrade;
use toolgate_types::config::{CommandTool, Entry, SecondLook, Server};

use super::{EntryLook, EntryScene, FileHashes, FileLook, look_at_server, look_at_tool};
use toolgate_types::Variables;

/// Where the entries of one load run, and whose files count.
#[derive(Clone)]
pub struct NamedFiles {
    root: PathBuf,
    workspace: PathBuf,
    variables: Variables,
}

/// Without the variables, which may be secret.
impl fmt::Debug for NamedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, workspace, variables: _ } = self;
        let mut shown = f.debug_struct("NamedFiles");
        shown.field("root", root).field("workspace", workspace).finish_non_exhaustive()
    }
}

impl SecondLook for NamedFiles {
    fn changed(&self, server: &Entry<Server>) -> Option<String> {
        self.differing(server, |scene| look_at_server(scene, &server.value))
    }

    fn changed_of_tool(&self, tool: &Entry<CommandTool>) -> Option<String> {
        self.differing(tool, |scene| look_at_tool(scene, &tool.value))
    }
}

impl NamedFiles {
    pub(crate) fn new(root: &Path, workspace: &Path, variables: &Variables) -> Self {
        Self {
            root: root.to_owned(),
            workspace: workspace.to_owned(),
            variables: variables.clone(),
        }
    }

    /// A person's own entries are theirs whatever changes.
    fn differing<T>(
        &self,
        entry: &Entry<T>,
        look: impl FnOnce(EntryScene<'_>) -> EntryLook,
    ) -> Option<String> {
        if entry.origin.grade == LayerGrade::Person {
            return None;
        }
        let Self { root, workspace, variables } = self;
        let hashes = &FileHashes::default();
        let now =
            look(EntryScene { root, workspace, variables, hashes, look: FileLook::EachEntry })
                .files;
        let before = &entry.fingerprint.files;
        let mut names = before.keys().chain(now.keys());
        names.find(|name| before.get(*name) != now.get(*name)).cloned()
    }
}
