//! Variables that make a program run or load something: what they hold counts like the command line.

use std::path::{Path, PathBuf};

use super::files::TooManyFiles;
use super::runs::ProgramRuns;
use super::variables_that_run::{COMMANDS, FOLDERS, LOADING, WRITTEN};

/// What Python loads by name.
pub(super) fn is_python(name: &str) -> bool {
    let endings = [".py", ".pyc", ".so", ".pyd", ".pth"];
    endings.iter().any(|ending| name.ends_with(ending))
}

impl ProgramRuns<'_, '_> {
    /// A variable is set for all that runs.
    pub(super) fn set(&mut self, name: &str, value: &str, is_made: bool, depth: usize) {
        let counts = |names: &[&str]| names.contains(&name);
        let is_path = matches!(name, "PATH" | "PYTHONPATH") || counts(&FOLDERS);
        let runs = counts(&LOADING) || counts(&COMMANDS);
        if is_made && (runs || is_path) {
            self.note(format!(
                "`{name}` is put together at run time; what it leads to is not watched"
            ));
        }
        if runs {
            self.script(value, depth + 1, true);
        }
        if is_path {
            std::env::split_paths(value).for_each(|folder| self.search_folder(name, &folder));
        }
        let is_in_project = |path: &PathBuf| self.files.folder(path).is_some();
        if counts(&WRITTEN) && self.paths(value).iter().any(is_in_project) {
            self.note(format!(
                "`{name}` lies in the project: what programs keep there and load again is not watched"
            ));
        }
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    fn search_folder(&mut self, name: &str, folder: &Path) {
        for path in self.paths(&folder.to_string_lossy()) {
            let Some(real) = self.files.folder(&path) else {
                // An archive is searched like a folder.
                self.files.take_place(&path);
                continue;
            };
            let taken = match name {
                "PYTHONPATH" => self.files.take_folder(&real, is_python),
                // Only what lies directly in it is found by name.
                "PATH" => self.take_programs(&real),
                _ => self.files.take_folder(&real, |_| true),
            };
            if taken.is_err() {
                // What Python loads from there without being asked.
                for module in
                    ["sitecustomize", "usercustomize"].iter().filter(|_| name == "PYTHONPATH")
                {
                    self.module(module, vec![real.clone()]);
                }
                let place = self.files.place(&real);
                self.note(format!(
                    "`{name}` names the folder `{place}/` of the project, which holds too much to be \
                     watched whole: what is loaded from there by name can change unnoticed"
                ));
            }
        }
    }

    fn take_programs(&mut self, folder: &Path) -> Result<(), TooManyFiles> {
        const MOST: usize = 256;
        let entries = folder.read_dir().into_iter().flatten().filter_map(Result::ok);
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).take(MOST + 1).collect();
        if paths.len() > MOST {
            return Err(TooManyFiles);
        }
        paths.sort_unstable();
        paths.iter().for_each(|path| self.files.take_place(path));
        Ok(())
    }
}
