//! The ways a secret is written on its way, made independently of how they are found.

/// A text that carries a secret, and the part of it that would tell the secret.
#[derive(Debug, Clone)]
pub(super) struct Encoded {
    pub(super) text: String,
    pub(super) telling: String,
}

pub(super) fn all_of(secret: &str) -> Vec<Encoded> {
    let bytes = secret.as_bytes();
    let plain = [
        secret.to_owned(),
        percent(secret, false, "%20", |byte| format!("%{byte:02X}")),
        percent(secret, false, "%20", |byte| format!("%{byte:02x}")),
        percent(secret, true, "%20", |byte| format!("%{byte:02X}")),
        percent(secret, false, "+", |byte| format!("%{byte:02X}")),
        json(secret),
        secret.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect(),
        json(&json(secret)),
        json(secret).replace('/', "\\/"),
        percent(&percent(secret, false, "%20", |b| format!("%{b:02X}")), false, "%20", |b| {
            format!("%{b:02X}")
        }),
        bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
        html(secret, "&quot;", "&#39;"),
        html(secret, "&#34;", "&apos;"),
        secret.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect(),
        json(&html(secret, "&quot;", "&#39;")),
        percent(&base64(bytes, true), false, "%20", |byte| format!("%{byte:02X}")),
        html(&base64(bytes, true), "&quot;", "&#39;"),
    ];
    let mut all: Vec<_> =
        plain.into_iter().map(|text| Encoded { telling: text.clone(), text }).collect();
    for is_standard in [true, false] {
        for before in ["", "u", "u:", "usr", "u:?>"] {
            for after in ["", "~", "~~", "~~~"] {
                all.push(within_base64(before, secret, after, is_standard));
            }
        }
    }
    // Once more around what was encoded: a URL or JSON in base64, base64 in base64.
    let unreserved: String = secret.bytes().map(unreserved).collect();
    for is_standard in [true, false] {
        for (before, after) in [("", ""), ("u", "~"), ("u:", "~~")] {
            for inner in [unreserved.as_str(), &json(secret)] {
                all.push(within_base64(before, inner, after, is_standard));
            }
            let inner = within_base64(before, secret, after, is_standard);
            let (head, tail) = inner.text.split_once(&inner.telling).unwrap();
            all.push(within_base64(head, &inner.telling, tail, true));
        }
    }
    let padded = all.clone().into_iter().map(|mut encoded| {
        encoded.text = encoded.text.trim_end_matches('=').to_owned();
        encoded
    });
    all.extend(padded.collect::<Vec<_>>());
    all
}

fn within_base64(before: &str, secret: &str, after: &str, is_standard: bool) -> Encoded {
    let text = base64(format!("{before}{secret}{after}").as_bytes(), is_standard);
    let start = (before.len() * 8).div_ceil(6);
    let end = (before.len() + secret.len()) * 8 / 6;
    Encoded { telling: text[start..end].to_owned(), text }
}

fn percent(text: &str, all: bool, space: &str, escape: impl Fn(u8) -> String) -> String {
    let write = |byte: u8| match byte {
        b' ' if !all => space.to_owned(),
        plain if !all && plain.is_ascii_alphanumeric() => char::from(plain).to_string(),
        other => escape(other),
    };
    text.bytes().map(write).collect()
}

/// As RFC 3986 has it.
fn unreserved(byte: u8) -> String {
    match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        plain if plain.is_ascii_alphanumeric() => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    }
}

fn html(text: &str, quote: &str, apostrophe: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', quote).replace('\'', apostrophe)
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Bit by bit, as the standard describes it.
pub(super) fn base64(bytes: &[u8], is_standard: bool) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    while !bits.len().is_multiple_of(6) {
        bits.push('0');
    }
    let digits = bits.as_bytes().chunks(6).map(|digit| {
        let digit = std::str::from_utf8(digit).unwrap();
        char::from(DIGITS[usize::from_str_radix(digit, 2).unwrap()])
    });
    let mut text: String = digits.collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    if is_standard { text } else { text.replace('+', "-").replace('/', "_") }
}
