//! One glob: `*` stands for any run of characters, `?` for one.

/// A glob, taken apart as far as it helps to find it.
#[derive(Debug, Clone)]
pub(super) struct NameGlob {
    text: Box<str>,
    /// How much of the text stands before the first wildcard.
    lead: usize,
}

impl NameGlob {
    pub(super) fn new(text: &str) -> Self {
        let lead = text.find(['*', '?']).unwrap_or(text.len());
        Self { text: text.into(), lead }
    }

    /// The one name that it means, where it has no wildcard.
    pub(super) fn exact(&self) -> Option<&str> {
        (self.lead == self.text.len()).then_some(&*self.text)
    }

    /// What every name that it means begins with.
    pub(super) fn lead(&self) -> &str {
        &self.text[..self.lead]
    }

    /// The runs without a wildcard; every name that it means holds each of them.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.text.split(['*', '?']).filter(|literal| !literal.is_empty())
    }

    pub(super) fn means_all(&self) -> bool {
        self.text.bytes().all(|byte| byte == b'*')
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        glob_matches(&self.text, name)
    }
}

/// Linear in the pattern times the text; allocates nothing.
pub(crate) fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut at, mut read) = (0, 0);
    // Where the last `*` stands, and how much of the text is before it or in it.
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(b'?') => {
                at += 1;
                read += char_length(text[read]);
            }
            Some(&byte) if byte == text[read] => {
                at += 1;
                read += 1;
            }
            _ => match &mut star {
                // Whole characters, so that `?` never begins inside one.
                Some((place, taken)) => {
                    *taken += char_length(text[*taken]);
                    (at, read) = (*place + 1, *taken);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

/// How many bytes the character has that begins with this one.
fn char_length(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}
