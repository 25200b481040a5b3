//! The last step of every line: secrets masked, hidden characters written out, one write.
//!
//! It stands behind the formatter, so nothing that is logged can pass by it, whoever logs it.

use std::io;

use toolgate_mask::Masker;
use toolgate_types::{visible, visible_json};
use tracing_subscriber::fmt::MakeWriter;

/// Takes whole lines with their end.
pub(super) type LineSink = Box<dyn Fn(&[u8]) + Send + Sync>;

/// Makes lines of one shape fit to be seen, and hands them on.
pub(super) struct LogLines {
    masker: Masker,
    is_json: bool,
    sink: LineSink,
}

/// The way of one line.
pub(super) struct LogLine<'a>(&'a LogLines);

impl LogLines {
    pub(super) fn json(masker: &Masker, sink: LineSink) -> Self {
        Self { masker: masker.clone(), is_json: true, sink }
    }

    pub(super) fn text(masker: &Masker, sink: LineSink) -> Self {
        Self { masker: masker.clone(), is_json: false, sink }
    }

    fn fit(&self, line: &str) -> String {
        match self.is_json {
            true => visible_json(&self.masker.mask_json(line)),
            false => visible(&self.masker.mask_text(line)),
        }
    }
}

impl<'a> MakeWriter<'a> for LogLines {
    type Writer = LogLine<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LogLine(self)
    }
}

impl io::Write for LogLine<'_> {
    /// The formatter writes an event at once, with the line's end.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let mut line = match text.strip_suffix('}').filter(|_| self.0.is_json) {
            // Which process wrote it tells the runs in one file apart, whoever logs.
            Some(open) => self.0.fit(&format!("{open},\"pid\":{}}}", std::process::id())),
            None => self.0.fit(text),
        };
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
