//! Names that have capitals inside, as products do: `GitHub` is not `git` and `hub`.

use crate::stem::stem;
use crate::words::words_of;

/// Calls back with each such name of a text, in lower case.
pub(crate) fn product_names(text: &str, mut each: impl FnMut(&str)) {
    for run in text.split(|one: char| !one.is_alphanumeric()) {
        if has_capital_inside(run) {
            each(&run.to_lowercase());
        }
    }
}

/// The words that a server goes by, without those that say that it is one.
pub(crate) fn server_name_terms(server: &str) -> Vec<Box<str>> {
    let mut terms = Vec::new();
    let mut take = |word: &str| {
        if !["mcp", "server", "api", "tool", "tools", "io", "com"].contains(&word) {
            terms.push(stem(word).into());
        }
    };
    for run in server.split(|one: char| !one.is_alphanumeric()) {
        match has_capital_inside(run) && run.starts_with(char::is_uppercase) {
            true => take(&run.to_lowercase()),
            false => words_of(run, &mut take),
        }
    }
    terms
}

/// A request with such names as they are known, by their stems: `GitHub` as `github`.
pub(crate) fn with_known_names(request: &str, is_known: impl Fn(&str) -> bool) -> String {
    let mut known = String::with_capacity(request.len());
    for piece in request.split_inclusive(|one: char| !one.is_alphanumeric()) {
        let run = piece.trim_end_matches(|one: char| !one.is_alphanumeric());
        let name = Some(run).filter(|run| has_capital_inside(run)).map(str::to_lowercase);
        match name.filter(|name| is_known(&stem(name))) {
            Some(name) => {
                known.push_str(&name);
                known.push_str(&piece[run.len()..]);
            }
            None => known.push_str(piece),
        }
    }
    known
}

fn has_capital_inside(run: &str) -> bool {
    let next = run.chars().skip(1);
    run.chars().zip(next).any(|(one, next)| one.is_lowercase() && next.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_known_by_their_capitals() {
        let names = |text: &str| {
            let mut names = Vec::new();
            product_names(text, |name| names.push(name.to_owned()));
            names.join(" ")
        };
        assert_eq!(
            names("Searches GitHub, arXiv and MongoDB (over HTTP)."),
            "github arxiv mongodb"
        );
        assert_eq!(names("Nothing of NASA or Jira"), "");
    }

    #[test]
    fn a_server_goes_by_the_name_of_its_product() {
        let terms = |server: &str| server_name_terms(server).join(" ");
        assert_eq!(terms("GitHub MCP Server"), "github");
        assert_eq!(terms("google-maps"), "googl map");
        assert_eq!(terms("weatherServer"), "weather");
    }
}
