//! The last step of every line: secrets masked, hidden characters written out, one write.
//!
//! It stands behind the formatter, so nothing that is logged can pass by it, whoever logs it.

use std::io;

use toolgate_mask::Masker;
use toolgate_types::{visible, visible_json};
use tracing_subscriber::fmt::MakeWriter;

/// Takes whole lines with their end.
pub(super) type Sink = Box<dyn Fn(&[u8]) + Send + Sync>;

/// Makes lines of one shape fit to be seen, and hands them on.
pub(super) struct Lines {
    masker: Masker,
    is_json: bool,
    sink: Sink,
}

/// The way of one line.
pub(super) struct Line<'a>(&'a Lines);

impl Lines {
    pub(super) fn json(masker: &Masker, sink: Sink) -> Self {
        Self { masker: masker.clone(), is_json: true, sink }
    }

    pub(super) fn text(masker: &Masker, sink: Sink) -> Self {
        Self { masker: masker.clone(), is_json: false, sink }
    }

    fn fit(&self, line: &str) -> String {
        match self.is_json {
            true => visible_json(&self.masker.mask_json(line)),
            false => visible(&self.masker.mask_text(line)),
        }
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        Line(self)
    }
}

impl io::Write for Line<'_> {
    /// The formatter writes an event at once, with the line's end.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let mut line = self.0.fit(text.strip_suffix('\n').unwrap_or(&text));
        line.push('\n');
        (self.0.sink)(line.as_bytes());
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
