//! As much HTTP/1.1 as it takes to speak with the gate from either side: a head, and a body of a length that
//! the head names.

use std::io::BufRead;

pub(crate) struct HttpMessage {
    head: String,
    pub(crate) body: String,
}

impl HttpMessage {
    /// The next one; nothing where the other side is gone.
    pub(crate) fn read(from: &mut impl BufRead) -> Option<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head).unwrap_or(0) == 0 {
                return None;
            }
        }
        let mut message = Self { head, body: String::new() };
        assert_eq!(message.header("transfer-encoding"), None, "bodies have a length here");
        let length = message.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        from.read_exact(&mut body).ok()?;
        message.body = String::from_utf8(body).unwrap();
        Some(message)
    }

    /// The line that says what is asked, or how it went.
    pub(crate) fn first_line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = pairs.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value)
    }
}
