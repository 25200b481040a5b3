//! Folders that paths must lie in, compared by whole components.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::list::NameList;

/// The folders of one list.
#[derive(Debug)]
pub(crate) struct AllowedFolders {
    list: Arc<NameList>,
    folders: Vec<PathBuf>,
}

impl AllowedFolders {
    /// A relative folder is one of the workspace. One that cannot be placed holds nothing.
    pub(crate) fn new(list: NameList, workspace: &Path, written: &[String]) -> Self {
        let folders = written.iter().filter_map(|folder| placed(workspace, folder)).collect();
        Self { list: Arc::new(list), folders }
    }

    pub(crate) fn list(&self) -> Arc<NameList> {
        Arc::clone(&self.list)
    }

    /// Whether a path, seen from a folder, lies in one of these or is one.
    pub(crate) fn hold(&self, cwd: &Path, path: &str) -> bool {
        let path = placed(cwd, path);
        path.is_some_and(|path| self.folders.iter().any(|folder| path.starts_with(folder)))
    }

    pub(crate) fn hold_folder(&self, folder: &Path) -> bool {
        folder.to_str().is_some_and(|folder| self.hold(Path::new("/"), folder))
            && folder.is_absolute()
    }
}

/// The absolute path without `.` and `..`. None for what another program could read otherwise: a `~`,
/// a NUL, a `%` that may stand for something in a `file:` address, a place that is not known.
fn placed(base: &Path, text: &str) -> Option<PathBuf> {
    let is_file_address = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    if text.starts_with('~') || text.contains('\0') || (is_file_address && text.contains('%')) {
        return None;
    }
    let mut path = PathBuf::new();
    for component in base.join(text).components() {
        match component {
            Component::Prefix(_) => return None,
            Component::RootDir => path.push("/"),
            Component::CurDir => {}
            // Above the root there is only the root.
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
        }
    }
    path.is_absolute().then_some(path)
}
