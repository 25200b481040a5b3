//! Percent-decoding: once, or until nothing is encoded any more.

/// Every `%XX` replaced by its byte, once.
pub(super) fn decode_once(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match escape_at(bytes, at) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    as_text(out)
}

/// Every `%XX` replaced by its byte, also those that only come to be by it.
pub fn decode_fully(text: &str) -> String {
    decode_keeping(text, |_| true)
}

/// The same without tabs and line ends, which browsers leave out, also where one stands inside an
/// escape.
pub(super) fn decode_without_blanks(text: &str) -> String {
    decode_keeping(text, |byte| !matches!(byte, b'\t' | b'\n' | b'\r'))
}

/// One pass, however deeply something is encoded: a byte that completes an escape undoes it.
fn decode_keeping(text: &str, is_kept: impl Fn(u8) -> bool) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        out.push(byte);
        while let Some(decoded) = out.len().checked_sub(3).and_then(|start| escape_at(&out, start))
        {
            out.truncate(out.len() - 3);
            out.push(decoded);
        }
        if out.last().is_some_and(|byte| !is_kept(*byte)) {
            out.pop();
        }
    }
    as_text(out)
}

fn escape_at(bytes: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = bytes.get(at..at + 3)? else { return None };
    let digit =
        |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}

/// As text. Two bytes for what fits into one are what some decoders take for that one.
fn as_text(bytes: Vec<u8>) -> String {
    let bytes = if bytes.iter().any(|byte| is_overlong(*byte)) { shortened(&bytes) } else { bytes };
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

fn is_overlong(lead: u8) -> bool {
    matches!(lead, 0xc0 | 0xc1)
}

fn shortened(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        match after {
            [next @ 0x80..=0xbf, after @ ..] if is_overlong(*first) => {
                out.push(((first & 1) << 6) | (next & 0x3f));
                rest = after;
            }
            _ => out.push(*first),
        }
    }
    out
}
