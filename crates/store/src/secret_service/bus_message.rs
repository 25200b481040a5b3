//! Messages of D-Bus as bytes: the calls that are made and the answers to them, little-endian.

use toolgate_types::Secret;
use zeroize::Zeroizing;

use crate::keyring::KeyringAway;

/// Of whom something is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct MethodCall<'a> {
    pub(super) destination: &'a str,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) method: &'a str,
}

impl MethodCall<'_> {
    /// The whole message.
    pub(super) fn written(&self, serial: u32, body: &BodyWriter) -> Zeroizing<Vec<u8>> {
        let mut out = BodyWriter::default();
        // Little-endian, a call, no flags, version 1.
        out.bytes.extend([b'l', 1, 0, 1]);
        out.number(body.bytes.len() as u32).number(serial);
        let fields = [
            (1, "o", self.path),
            (2, "s", self.interface),
            (3, "s", self.method),
            (6, "s", self.destination),
        ];
        out.array(|out| {
            for (code, kind, value) in fields {
                out.align(8);
                out.bytes.push(code);
                out.signature(kind);
                out.push_text(value);
            }
            if !body.signature.is_empty() {
                out.align(8);
                out.bytes.push(8);
                out.signature("g");
                out.signature(&body.signature);
            }
        });
        out.align(8);
        out.bytes.extend_from_slice(&body.bytes);
        out.bytes
    }
}

/// The arguments of a call.
#[derive(Default)]
pub(super) struct BodyWriter {
    bytes: Zeroizing<Vec<u8>>,
    signature: String,
}

impl BodyWriter {
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.signature.push('s');
        self.push_text(text)
    }

    pub(super) fn path(&mut self, path: &str) -> &mut Self {
        self.signature.push('o');
        self.push_text(path)
    }

    pub(super) fn boolean(&mut self, value: bool) -> &mut Self {
        self.signature.push('b');
        self.number(u32::from(value))
    }

    pub(super) fn variant_text(&mut self, text: &str) -> &mut Self {
        self.signature.push('v');
        self.signature("s");
        self.push_text(text)
    }

    pub(super) fn paths(&mut self, paths: &[&str]) -> &mut Self {
        self.signature.push_str("ao");
        self.array(|out| {
            for path in paths {
                out.push_text(path);
            }
        })
    }

    pub(super) fn dictionary(&mut self, pairs: &[(&str, &str)]) -> &mut Self {
        self.signature.push_str("a{ss}");
        self.push_dictionary(pairs)
    }

    /// What an item is called, and found by.
    pub(super) fn properties(&mut self, label: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.signature.push_str("a{sv}");
        self.structs(|out| {
            out.align(8);
            out.push_text("org.freedesktop.Secret.Item.Label");
            out.signature("s");
            out.push_text(label);
            out.align(8);
            out.push_text("org.freedesktop.Secret.Item.Attributes");
            out.signature("a{ss}");
            out.push_dictionary(attributes);
        })
    }

    /// A secret for a session.
    pub(super) fn secret(&mut self, session: &str, secret: &Secret) -> &mut Self {
        self.signature.push_str("(oayays)");
        self.align(8).push_text(session);
        self.array(|_| {});
        self.array(|out| out.bytes.extend_from_slice(secret.expose().as_bytes()));
        self.push_text("application/json")
    }

    fn push_dictionary(&mut self, pairs: &[(&str, &str)]) -> &mut Self {
        self.structs(|out| {
            for (name, value) in pairs {
                out.align(8).push_text(name).push_text(value);
            }
        })
    }

    /// An array of things that each begin at a multiple of eight; its length counts from the first.
    fn structs(&mut self, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.filled(8, fill)
    }

    fn array(&mut self, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.filled(1, fill)
    }

    fn filled(&mut self, alignment: usize, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.number(0);
        let length_at = self.bytes.len() - 4;
        self.align(alignment);
        let start = self.bytes.len();
        fill(self);
        let length = (self.bytes.len() - start) as u32;
        self.bytes[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        self
    }

    fn push_text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u32);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        self
    }

    fn signature(&mut self, signature: &str) {
        // The longest is of nine characters.
        self.bytes.push(signature.len() as u8);
        self.bytes.extend_from_slice(signature.as_bytes());
        self.bytes.push(0);
    }

    fn number(&mut self, number: u32) -> &mut Self {
        self.align(4);
        self.bytes.extend(number.to_le_bytes());
        self
    }

    fn align(&mut self, to: usize) -> &mut Self {
        while !self.bytes.len().is_multiple_of(to) {
            self.bytes.push(0);
        }
        self
    }
}

/// What came back, to be read from its beginning.
pub(super) struct BusAnswer {
    pub(super) body: Zeroizing<Vec<u8>>,
}

impl BusAnswer {
    pub(super) fn reader(&self) -> BodyReader<'_> {
        BodyReader::new(&self.body)
    }
}

/// Reads what came back, piece by piece.
pub(super) struct BodyReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BodyReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The call that a header answers, and the name of the error that it is, if it is one. Everything else
    /// in it is passed over.
    pub(super) fn header_fields(&mut self) -> Result<(Option<u32>, Option<String>), KeyringAway> {
        let (mut answers, mut error) = (None, None);
        while self.at < self.bytes.len() {
            self.align(8);
            let code = self.byte()?;
            let kind = self.signature()?;
            match (code, kind.as_str()) {
                (5, "u") => answers = Some(self.number()?),
                (4, "s") => error = Some(self.text()?),
                (_, "s" | "o") => drop(self.text()?),
                (_, "u") => drop(self.number()?),
                (_, "g") => drop(self.signature()?),
                _ => return Err(nonsense()),
            }
        }
        Ok((answers, error))
    }

    pub(super) fn text(&mut self) -> Result<String, KeyringAway> {
        let length = self.number()? as usize;
        let text = self.take(length)?.to_vec();
        self.take(1)?;
        String::from_utf8(text).map_err(|_| nonsense())
    }

    pub(super) fn paths(&mut self) -> Result<Vec<String>, KeyringAway> {
        let length = self.number()? as usize;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(nonsense)?;
        let mut paths = Vec::new();
        while self.at < end {
            paths.push(self.text()?);
        }
        Ok(paths)
    }

    pub(super) fn variant_text(&mut self) -> Result<String, KeyringAway> {
        match self.signature()?.as_str() {
            "s" => self.text(),
            _ => Err(nonsense()),
        }
    }

    /// The value of a secret; the rest of it says nothing here.
    pub(super) fn secret(&mut self) -> Result<Secret, KeyringAway> {
        self.align(8);
        self.text()?;
        let parameters = self.number()? as usize;
        self.take(parameters)?;
        let length = self.number()? as usize;
        let value = self.take(length)?;
        let text = std::str::from_utf8(value).map_err(|_| nonsense())?;
        Ok(Secret::new(text.to_owned()))
    }

    fn signature(&mut self) -> Result<String, KeyringAway> {
        let length = usize::from(self.byte()?);
        let text = self.take(length)?.to_vec();
        self.take(1)?;
        String::from_utf8(text).map_err(|_| nonsense())
    }

    pub(super) fn number(&mut self) -> Result<u32, KeyringAway> {
        self.align(4);
        let bytes: [u8; 4] = self.take(4)?.try_into().map_err(|_| nonsense())?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn byte(&mut self) -> Result<u8, KeyringAway> {
        Ok(self.take(1)?[0])
    }

    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], KeyringAway> {
        let end = self.at.checked_add(length).ok_or_else(nonsense)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(nonsense)?;
        self.at = end;
        Ok(taken)
    }
}

pub(super) fn nonsense() -> KeyringAway {
    KeyringAway("it gave an answer that is none".to_owned())
}
