//! Small repositories and short answers for the other tests.
//!
//! It holds no test and asserts nothing.

use std::fs;

use tempfile::TempDir;
use xtask::{Finding, Repository};

/// A folder with these files, without git.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The same as a repository; the folder must be kept alive.
pub(crate) fn repository(files: &[(&str, &str)]) -> (TempDir, Repository) {
    let folder = folder(files);
    let repository = Repository::open(folder.path()).unwrap();
    (folder, repository)
}

/// `line: message` of each finding.
pub(crate) fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
}

/// The lines that have a finding.
pub(crate) fn numbers(findings: &[Finding]) -> Vec<usize> {
    let mut numbers: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
