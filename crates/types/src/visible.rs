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

/// The same JSON with hidden characters in JSON's own escapes. Outside of texts there are none but
/// line breaks.
pub fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '\n' | '\r' | '\t') || !is_hidden(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// Whether a character shows nothing of itself, looks like a blank without being one, or changes how
/// others show: Unicode's default-ignorable ones, its blanks but the plain space, what has no fixed
/// look at all.
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    c.is_control()
        || matches!(code,
            // Default-ignorable: they print nothing, and some turn the direction of what follows.
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
            | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164
            | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfff8
            | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
            // Line ends that are none to a program, and interlinear marks.
            | 0x2028..=0x2029 | 0xfff9..=0xfffb
            // Blanks: spaces of other widths, and signs whose picture is empty.
            | 0xa0 | 0x1680 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000
            | 0x2800 | 0x13441..=0x13442 | 0x16fe4 | 0x1d159
            // Private use: a font may show anything, or nothing.
            | 0xe000..=0xf8ff | 0xf0000..=0x10ffff
            // Characters that are none.
            | 0xfdd0..=0xfdef
        )
        || code & 0xfffe == 0xfffe
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
        let passed_once = [
            '\u{34f}',
            '\u{17b4}',
            '\u{180b}',
            '\u{180f}',
            '\u{2800}',
            '\u{fff0}',
            '\u{1d173}',
            '\u{1bca0}',
            '\u{a0}',
            '\u{3000}',
            '\u{2009}',
            '\u{1680}',
            '\u{e000}',
            '\u{fdd0}',
            '\u{1ffff}',
            '\u{1d159}',
        ];
        for hidden in passed_once {
            let shown = visible(&format!("a{hidden}b"));
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(hidden)));
        }
    }
}
