//! Words without the endings that plurals and verbs have, so that `listing`, `lists` and `listed` are one.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The stem of a word in lower case. It need not be a word, only the same for each form.
pub(crate) fn stem(word: &str) -> String {
    // Names of versions, and words of other languages, have endings of their own.
    if let Ok(place) = KEPT_APART.binary_search_by_key(&word, |(word, _)| word) {
        return KEPT_APART[place].1.to_owned();
    }
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

/// What would get the stem of another word that has nothing to do with it: `business` of `busy`, `customer` of
/// `custom`, `production` of `product`. In the order of the alphabet.
const KEPT_APART: &[(&str, &str)] = &[
    ("activities", "activity"),
    ("activity", "activity"),
    ("animal", "animal"),
    ("animals", "animal"),
    ("authorisation", "authoriz"),
    ("authorise", "authoriz"),
    ("authority", "authority"),
    ("authorization", "authoriz"),
    ("authorize", "authoriz"),
    ("authorized", "authoriz"),
    ("business", "business"),
    ("businesses", "business"),
    ("custom", "custom"),
    ("customer", "customer"),
    ("customers", "customer"),
    ("direction", "direction"),
    ("directions", "direction"),
    ("executive", "executive"),
    ("executives", "executive"),
    ("importance", "important"),
    ("important", "important"),
    ("internal", "internal"),
    ("international", "international"),
    ("objective", "objective"),
    ("objectives", "objective"),
    ("organisation", "organiz"),
    ("organisations", "organiz"),
    ("organise", "organiz"),
    ("organization", "organiz"),
    ("organizations", "organiz"),
    ("organize", "organiz"),
    ("paste", "paste"),
    ("pasted", "paste"),
    ("positive", "positive"),
    ("production", "production"),
    ("productivity", "productivity"),
    ("publication", "publish"),
    ("publications", "publish"),
    ("relative", "relative"),
    ("relatives", "relative"),
    ("several", "several"),
    ("training", "training"),
    ("trainings", "training"),
    ("universities", "university"),
    ("university", "university"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_apart_is_in_the_order_of_the_alphabet() {
        assert!(KEPT_APART.is_sorted());
    }
}
