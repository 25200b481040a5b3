//! Text as the words it is made of: names in every style, prose, digits by themselves.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Calls back with each word, in lower case. `createPullRequest`, `create_pull_request` and
/// `create-pull-request` are the same three; `HTTPServer` is `http` and `server`, `sha256` is `sha` and
/// `256`; `k8s`, `s3` and `mp4` are what they are.
pub(crate) fn words_of(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before = CharKind::Other;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let kind = CharKind::of(character);
        let next = characters.peek().map(|next| CharKind::of(*next));
        let begins = match (before, kind) {
            (CharKind::Lower | CharKind::Digit, CharKind::Upper) => true,
            // The last capital of several belongs to what follows.
            (CharKind::Upper, CharKind::Upper) => next == Some(CharKind::Lower),
            _ => false,
        };
        if begins || kind == CharKind::Other {
            end_word(&mut word, &mut each);
        }
        if kind != CharKind::Other {
            word.extend(character.to_lowercase());
        }
        before = kind;
    }
    end_word(&mut word, &mut each);
}

/// No longer than the names of things that have a digit in them.
const LONGEST_MIXED: usize = 4;

fn end_word(word: &mut String, each: &mut impl FnMut(&str)) {
    if !word.is_empty() && word.len() <= LONGEST_MIXED {
        each(word);
    } else {
        let mut rest = word.as_str();
        while let Some(first) = rest.chars().next() {
            let other = rest.find(|one: char| one.is_numeric() != first.is_numeric());
            let (part, after) = rest.split_at(other.unwrap_or(rest.len()));
            each(part);
            rest = after;
        }
    }
    word.clear();
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Lower,
    Upper,
    Digit,
    Other,
}

impl CharKind {
    fn of(character: char) -> Self {
        match character {
            character if character.is_numeric() => Self::Digit,
            character if character.is_uppercase() => Self::Upper,
            character if character.is_alphabetic() => Self::Lower,
            _ => Self::Other,
        }
    }
}

/// Words that say how something is asked for, not what for.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Whether every other sentence has it.
pub(crate) fn is_weak(word: &str) -> bool {
    WEAK.contains(word)
}

static WEAK: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../words/weak.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// In the order of the alphabet.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "about", "above", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "based", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "could", "did", "do", "does", "doing", "don", "each", "else", "etc", "every", "few",
    "for", "from", "further", "give", "go", "got", "had", "has", "have", "having", "he", "help",
    "her", "here", "hers", "him", "his", "how", "i", "if", "im", "in", "into", "is", "it", "its",
    "just", "know", "let", "like", "ll", "m", "may", "me", "might", "more", "most", "must", "my",
    "need", "needs", "no", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our",
    "out", "over", "own", "please", "re", "s", "same", "see", "she", "should", "so", "some",
    "such", "t", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "thing", "things", "this", "those", "through", "to", "too", "tool", "tools", "under", "until",
    "up", "us", "use", "used", "using", "ve", "very", "via", "want", "was", "way", "we", "were",
    "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "within", "without", "would", "you", "your",
];
