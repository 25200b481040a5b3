//! Text that someone else wrote, made safe to show to a person.
//!
//! Control characters, ANSI escapes, bidirectional controls, invisible and tag characters become
//! visible escapes, so that what is read is what is there.

/// The text with every hidden character written out.
pub fn visible(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(hidden)));
            }
            plain => out.push(plain),
        }
    }
    out
}

/// Whether a character shows nothing of itself, or changes how others show.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad                                  // soft hyphen
            | 0x61c | 0x180e                      // marks that print nothing
            | 0x200b..=0x200f | 0x2028..=0x202e   // zero width, bidi, line separators
            | 0x2060..=0x206f | 0xfe00..=0xfe0f   // invisible operators, variation selectors
            | 0xfeff | 0xfff9..=0xfffb            // byte order mark, interlinear marks
            | 0xe0000..=0xe0fff                   // tags and more variation selectors
            | 0x115f | 0x1160 | 0x3164 | 0xffa0   // fillers that look like nothing
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_text_is_written_out_and_plain_text_stays() {
        assert_eq!(visible("npx -y größe 日本"), "npx -y größe 日本");
        assert_eq!(visible("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(visible("x\u{202e}y\u{200b}z"), "x\\u{202e}y\\u{200b}z");
        assert_eq!(visible("tag\u{e0041}"), "tag\\u{e0041}");
        assert_eq!(visible("two\nlines\r\t"), "two\\nlines\\r\\t");
    }
}
