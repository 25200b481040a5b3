//! Words of a request that are somebody's data and not what is wanted: what is quoted, and the parts of a
//! file's name, an address or an identifier.

use std::collections::HashSet;

use crate::stem::stem;
use crate::words::words_of;

/// What only names have inside.
const INSIDE_NAMES: [char; 8] = ['_', '@', '/', '\\', '.', '=', '#', ':'];

/// Their stems. None of a request that is little else: somebody looks for a tool by its name.
pub(crate) fn quoted_stems(request: &str) -> HashSet<String> {
    let (mut quoted, mut plain) = (HashSet::new(), HashSet::new());
    let mut is_open = false;
    for token in request.split_whitespace() {
        is_open |= token.starts_with(['"', '“', '`']);
        let inner = token.trim_matches(|one: char| !one.is_alphanumeric());
        let is_data = is_open
            || inner.contains(INSIDE_NAMES)
            || token.starts_with(['#', '@'])
            || is_identifier(inner);
        let stems = if is_data { &mut quoted } else { &mut plain };
        words_of(token, |word| _ = stems.insert(stem(word)));
        is_open &=
            !token.trim_end_matches(['.', ',', ';', ':', '!', '?']).ends_with(['"', '”', '`']);
    }
    if plain.len() < 2 {
        return HashSet::new();
    }
    quoted.retain(|word| !plain.contains(word));
    quoted
}

/// Whether letters and digits change places in it more often than in what has a meaning: `3fa9c1d`.
fn is_identifier(token: &str) -> bool {
    let digits: Vec<bool> = token.chars().map(|one| one.is_ascii_digit()).collect();
    token.len() > 4 && digits.windows(2).filter(|two| two[0] != two[1]).count() > 2
}

/// Words with a capital that no sentence begins with.
pub(crate) fn name_stems(request: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut begins = true;
    for token in request.split_whitespace() {
        let inner = token.trim_matches(|one: char| !one.is_alphanumeric());
        let is_name = inner.starts_with(char::is_uppercase) && inner.len() > 1;
        if is_name && !begins {
            words_of(inner, |word| _ = names.insert(stem(word)));
        }
        begins = token.ends_with(['.', '!', '?', ':', '"', ')']);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_told_from_what_is_wanted() {
        let quoted = |request: &str| {
            let mut stems: Vec<_> = quoted_stems(request).into_iter().collect();
            stems.sort();
            stems.join(" ")
        };
        assert_eq!(quoted("post \"build is green\" to #releases please"), "build green is releas");
        assert_eq!(quoted("rename old_name to a/b.txt now"), "a b name old txt");
        assert_eq!(quoted("create_pull_request"), "");
        assert_eq!(quoted("say \"file\" of the file"), "");
        assert_eq!(quoted("send it. Then stop: done."), "");
    }
}
