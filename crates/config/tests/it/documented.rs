//! Every configuration in the README and in the book is one.

use std::fs;
use std::path::{Path, PathBuf};

use toolgate_config::Severity;

use crate::support::World;

/// The README, and each page of the book.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    let mut pages: Vec<PathBuf> = book.filter(is_page).chain([root.join("README.md")]).collect();
    pages.sort();
    pages
}

/// The blocks of one language, with the lines where they begin.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let (mut found, mut inside) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut inside) {
            (Some(said), None) => {
                inside = Some((said.trim() == language, number + 2, String::new()));
            }
            (Some(_), Some(_)) => {
                if let Some((true, at, block)) = inside.take() {
                    found.push((at, block));
                }
                inside = None;
            }
            (None, Some((_, _, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

#[test]
fn every_configuration_in_the_book_can_be_read() {
    let (mut wrong, mut read) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for (at, block) in blocks(&text, "toml") {
            read += 1;
            let loaded = World::new().global(&with_secrets(&block)).load();
            let errors = loaded.problems.iter().filter(|one| one.severity == Severity::Error);
            let errors: Vec<String> = errors.map(ToString::to_string).collect();
            if !errors.is_empty() {
                wrong.push(format!("{}:{at}:\n{}", page.display(), errors.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(read > 12, "only {read} were found");
}

/// As if every secret that it names were kept.
fn with_secrets(block: &str) -> String {
    let mut parts = block.split("${secret:");
    let first = parts.next().unwrap_or_default().to_owned();
    let kept = |part: &str| part.split_once('}').map(|(_, rest)| format!("kept{rest}")).unwrap();
    parts.fold(first, |text, part| text + &kept(part))
}

/// What the page about embedding shows is a program that is built and run.
#[test]
fn the_program_in_the_book_is_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/embedding.md")).unwrap();
    let example = fs::read_to_string(root.join("crates/host/examples/own_tools.rs")).unwrap();
    let shown: Vec<String> = blocks(&page, "rust").into_iter().map(|(_, block)| block).collect();
    assert_eq!(shown, [example]);
}

/// Every page is in the book, and every page of the book is there.
#[test]
fn the_table_of_contents_is_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
    let named = summary.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    let mut named: Vec<String> = named.collect();
    named.sort();
    let file_name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let there = pages()
        .iter()
        .map(file_name)
        .filter(|name| !["SUMMARY.md", "README.md"].contains(&name.as_str()))
        .collect::<Vec<_>>();
    assert_eq!(named, there);
}

/// A link within the repository leads somewhere.
#[test]
fn every_link_leads_to_a_file() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            let is_elsewhere = link.contains("://") || link.contains(char::is_whitespace);
            if !path.is_empty() && !is_elsewhere && !page.parent().unwrap().join(path).exists() {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
