//! Whether bytes are text, and a guess at what they are if not.
//!
//! A zero byte among the first ones decides, as it does for Git and ripgrep.

/// How many bytes are looked at.
const SAMPLE: usize = 8 * 1024;

pub(super) const UNKNOWN: &str = "application/octet-stream";

const BEGINNINGS: [(&[u8], &str); 12] = [
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-elf"),
    (b"\0asm", "application/wasm"),
    (b"SQLite format 3", "application/vnd.sqlite3"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// What it is instead of text; `None` for text.
pub(super) fn not_text(bytes: &[u8]) -> Option<&'static str> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let known = BEGINNINGS.iter().find(|(beginning, _)| sample.starts_with(beginning));
    match known {
        Some((_, mime)) => Some(mime),
        None => sample.contains(&0).then_some(UNKNOWN),
    }
}
