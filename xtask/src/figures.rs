//! `cargo xtask figures`: how the house is built, in numbers: lines by crate, names that are defined
//! twice, modules that import each other in a circle.

pub mod circles;
pub mod lines;
pub mod module_tree;
pub mod type_names;

use std::fmt::Write as _;

use anyhow::Result;

use crate::Repository;
use crate::source::{self, LexedSource, without_tests};
use circles::circles_of;
use lines::LineFigures;
use module_tree::ModuleTree;
use type_names::TypeNames;

/// A file that ships, without comments, literals and test items.
#[derive(Debug, Clone)]
pub struct ShippedFile {
    /// From the root of the repository.
    pub path: String,
    pub code: String,
    /// Of the file as it is.
    pub lines: usize,
}

/// The report, as Markdown.
pub fn report(repository: &Repository) -> Result<String> {
    let crates = shipped_by_crate(repository)?;
    let mut report = String::from(
        "<!-- Written by `cargo xtask figures`. -->\n\n# The house in figures\n\n\
         Files that ship, tests left out. *In circles* counts the files of a crate that import each \
         other in a circle; a module with its own children is none.\n\n\
         | crate | files | lines | median | p90 | largest | in circles |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut names = TypeNames::default();
    let mut participles = 0;
    let mut circles_seen = String::new();
    for (name, files) in &crates {
        let figures = LineFigures::of(files);
        let circles = circles_of(&ModuleTree::of(files));
        let in_circles: usize = circles.iter().map(Vec::len).sum();
        for circle in &circles {
            let files: Vec<String> = circle.iter().map(|file| format!("`{file}`")).collect();
            writeln!(circles_seen, "- {}", files.join(", "))?;
        }
        writeln!(report, "| `{name}` | {figures} | {in_circles} |")?;
        for file in files {
            names.add(name, &file.code);
            participles += usize::from(file.path.ends_with("ing.rs"));
        }
    }
    let all: Vec<ShippedFile> = crates.into_iter().flat_map(|(_, files)| files).collect();
    writeln!(report, "| all | {} | |\n", LineFigures::of(&all))?;
    writeln!(report, "{names}\n")?;
    writeln!(report, "Files whose name ends in `-ing.rs`: {participles}.")?;
    if !circles_seen.is_empty() {
        report.push_str("\n## Circles\n\n");
        report.push_str(&circles_seen);
    }
    Ok(report)
}

/// The files of each crate that ship, by the crate's folder.
pub fn shipped_by_crate(repository: &Repository) -> Result<Vec<(String, Vec<ShippedFile>)>> {
    let mut crates: Vec<(String, Vec<ShippedFile>)> = Vec::new();
    for file in repository.rust_files() {
        let Some(room) = source::room(file).filter(|room| *room != "testkit") else { continue };
        let is_source = file.starts_with(&format!("crates/{room}/src/"));
        if !is_source || source::is_test(file) {
            continue;
        }
        let text = repository.source(file)?;
        let code = without_tests(&LexedSource::new(&text).code);
        let shipped = ShippedFile { path: file.to_owned(), code, lines: text.lines().count() };
        match crates.last_mut().filter(|(name, _)| name == room) {
            Some((_, files)) => files.push(shipped),
            None => crates.push((room.to_owned(), vec![shipped])),
        }
    }
    Ok(crates)
}
