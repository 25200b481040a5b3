//! The words of any text and their stems, for whoever indexes something else than tools.

use crate::stem::stem;
use crate::words::{is_filler, words_of};

/// Calls back with each word, in lower case, names taken apart.
pub fn each_word(text: &str, each: impl FnMut(&str)) {
    words_of(text, each);
}

/// What stands for a word and its other forms; nothing for words that every sentence has.
pub fn word_stem(word: &str) -> Option<String> {
    (!is_filler(word)).then(|| stem(word))
}
