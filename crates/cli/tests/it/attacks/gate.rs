//! One HTTP request, written byte for byte as an attack has it, and everything that comes back.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use super::expected::Seen;
use crate::serve::gate::Gate;

/// A gate that keeps a connection open after the answer is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn request(
    gate: &Gate,
    method: &str,
    path: &str,
    headers: &[String],
    body: &str,
) -> Seen {
    let (mut stream, address) = (gate.caller().connect(), gate.address());
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let has = |name: &str| {
        headers.iter().any(|header| header.to_ascii_lowercase().starts_with(&format!("{name}:")))
    };
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    let length = body.len().to_string();
    for (name, value) in
        [("host", address), ("connection", "close"), ("content-length", length.as_str())]
    {
        if !has(name) {
            head += &format!("{name}: {value}\r\n");
        }
    }
    for header in headers {
        head += &format!("{header}\r\n");
    }
    // A gate that turns a request away may have closed already.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut reply = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            break;
        }
        reply.extend_from_slice(&buffer[..count]);
    }
    let text = String::from_utf8_lossy(&reply).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok());
    Seen { text, status, ..Seen::default() }
}
