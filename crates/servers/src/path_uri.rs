//! A path of the served folder as an address, and back.

use std::fmt::Write as _;

/// The scheme, three slashes, and the path with whatever an address cannot have spelled out.
pub(crate) fn path_uri(scheme: &str, path: &str) -> String {
    let mut uri = format!("{scheme}:///");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// The path in such an address; nothing where it is none.
pub(crate) fn path_of_uri(scheme: &str, uri: &str) -> Option<String> {
    let rest = uri.strip_prefix(scheme)?.strip_prefix(":///")?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || char::from(left.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            b'?' | b'#' => return None,
            byte => byte,
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok().filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_address() {
        for path in ["a.md", "a b/é#?.md", "100%/x", "..", "a//b"] {
            let uri = path_uri("docs", path);
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?']), "{uri}");
            assert_eq!(path_of_uri("docs", &uri).as_deref(), Some(path));
        }
        for odd in [
            "docs:///",
            "docs://a",
            "repo:///a",
            "docs:///%",
            "docs:///%zz",
            "docs:///%ff",
            "docs:///a?b",
        ] {
            assert_eq!(path_of_uri("docs", odd), None, "{odd}");
        }
    }
}
