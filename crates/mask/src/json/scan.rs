//! Where the tokens of JSON begin and end. Whether it is JSON was checked before.

/// The next byte that is neither space nor separator.
pub(super) fn next_token(json: &[u8], from: usize) -> usize {
    let rest = json.get(from..).unwrap_or_default();
    let is_between = |byte: &&u8| byte.is_ascii_whitespace() || matches!(**byte, b',' | b':');
    from + rest.iter().take_while(is_between).count()
}

/// The byte after the string that begins with the quote at `start`.
pub(super) fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// The byte after the value that begins at `start`.
pub(super) fn end_of_value(json: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = end_of_string(json, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            // A number or a word ends where something else begins.
            _ if depth == 0 => return at + of_scalar(&json[at..]).max(1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    json.len()
}

fn of_scalar(json: &[u8]) -> usize {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    json.iter().take_while(belongs).count()
}
