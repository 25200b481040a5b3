//! What was probably meant by a word that nothing is called: one suggestion for every surface that
//! reads what people type.

/// Nobody mistypes a word into a very long one, and comparing those takes long.
const LONGEST: usize = 64;

/// How much of a word must be there for what it begins to be meant.
const SHORTEST_BEGINNING: usize = 3;

/// The nearest of the words that exist, where one is near: some letters apart, whatever their case,
/// or one that goes on where this ends.
pub fn nearest_word<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = folded(word);
    let known: Vec<(String, &str)> =
        known.into_iter().map(|known| (folded(known.as_ref()), known.as_ref())).collect();
    let near = known.iter().filter(|(folded, _)| folded.len() <= LONGEST);
    let near = near.map(|(folded, known)| {
        let distance = strsim::damerau_levenshtein(&word, folded);
        (distance, folded.chars().count(), *known)
    });
    // Where nothing of a word is left, it is another word.
    let is_near = |(distance, length, _): &(usize, usize, &str)| {
        *distance <= 1 + length / 4 && distance < length
    };
    if let Some((_, _, nearest)) = near.filter(is_near).min() {
        return Some(nearest);
    }
    let mut going_on = known.iter().filter(|(folded, _)| folded.starts_with(&word));
    match (going_on.next(), going_on.next()) {
        (Some((_, only)), None) if word.len() >= SHORTEST_BEGINNING => Some(only),
        _ => None,
    }
}

/// The same as a question, for a hint.
pub fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> Option<String> {
    nearest_word(word, known).map(|known| format!("did you mean `{}`?", crate::visible(known)))
}

fn folded(word: &str) -> String {
    word.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["files", "my-docs", "filesystem", "s", "read_text_file"];

    #[test]
    fn what_is_some_letters_apart_is_meant_and_what_only_begins_it() {
        for (typed, meant) in [
            ("flies", Some("files")),
            ("FILES", Some("files")),
            ("my_docs", Some("my-docs")),
            ("raed_text_file", Some("read_text_file")),
            ("read", Some("read_text_file")),
            ("filesyst", Some("filesystem")),
            ("re", None),
            ("x", None),
            ("frobnicate", None),
        ] {
            assert_eq!(nearest_word(typed, KNOWN), meant, "{typed}");
        }
        assert_eq!(nearest_word(&"files".repeat(1000), KNOWN), None);
        assert_eq!(nearest_word("files", [] as [&str; 0]), None);
    }

    #[test]
    fn what_begins_two_words_means_neither() {
        assert_eq!(nearest_word("prod", ["production", "product-line"]), None);
    }

    #[test]
    fn a_suggestion_hides_nothing() {
        let odd = ["fi\u{202e}les".to_owned()];
        assert_eq!(did_you_mean("files", &odd).unwrap(), "did you mean `fi\\u{202e}les`?");
    }
}
