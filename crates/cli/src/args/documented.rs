//! Every command in the README and in the book is one that can be typed.

use std::fs;
use std::path::Path;

use clap::Parser as _;

use super::CommandLineArgs;

/// The words of a line, without its comment; what stands in single quotes is one.
fn words(line: &str) -> Vec<String> {
    let line = line.split("  #").next().unwrap_or_default();
    let pieces = line.split('\'').enumerate();
    let words = pieces.flat_map(|(number, piece)| match number % 2 {
        0 => piece.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![piece.to_owned()],
    });
    words.collect()
}

#[test]
fn every_command_in_the_book_can_be_typed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "md");
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for page in pages.filter(is_page).chain([root.join("README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for line in text.lines().filter(|line| line.starts_with("toolgate ")) {
            tried += 1;
            if let Err(error) = CommandLineArgs::try_parse_from(words(line)) {
                wrong.push(format!("{}: {line}\n{error}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 40, "only {tried} were found");
}
