//! Words without the endings that plurals and verbs have, so that `listing`, `lists` and `listed` are one.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The stem of a word in lower case. It need not be a word, only the same for each form.
pub(crate) fn stem(word: &str) -> String {
    // Names of versions, and words of other languages, have endings of their own.
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_plain && word.len() > 3 {
        true => ENGLISH.stem(word).into_owned(),
        // Too short to lose more than a plural: `prs`, `ids`.
        false => match word.strip_suffix('s').filter(|head| is_plain && head.len() == 2) {
            Some(head) if !head.ends_with(['s', 'u', 'i', 'a', 'o', 'e']) => head.to_owned(),
            _ => word.to_owned(),
        },
    }
}
