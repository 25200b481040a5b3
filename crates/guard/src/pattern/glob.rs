//! One glob: `*` stands for any run of characters, `?` for one.

/// A glob, taken apart as far as it helps to find it.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    text: Box<str>,
    /// How much of the text stands before the first wildcard.
    lead: usize,
}

/// Which letters and digits occur in a text; all other signs share two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letters(u64);

/// The place of each byte.
const PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        places[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            letter @ b'A'..=b'Z' => 26 + letter - b'A',
            digit @ b'0'..=b'9' => 52 + digit - b'0',
            0..128 => 62,
            128.. => 63,
        };
        byte += 1;
    }
    places
};

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |seen, byte| seen | 1 << PLACES[usize::from(byte)]))
    }

    pub(super) fn all_in(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl Glob {
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

    /// Every name that it means has these.
    pub(super) fn letters(&self) -> Letters {
        let literal: String = self.text.chars().filter(|c| !matches!(c, '*' | '?')).collect();
        Letters::of(&literal)
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
