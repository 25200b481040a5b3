//! Lines on their way out.

use parking_lot::Mutex;
use std::io::Write as _;
use std::sync::Arc;

use toolgate_types::Secret;

use super::*;

/// What comes out when this is written.
fn out(make: fn(&Masker, LineSink) -> LogLines, event: &str) -> String {
    let masker = Masker::builder().secret(&Secret::new("hunter2-hunter2".to_owned())).build();
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&written);
    let sink: LineSink = Box::new(move |line: &[u8]| sink.lock().push(line.to_vec()));
    make(&masker, sink).make_writer().write_all(event.as_bytes()).unwrap();
    let mut written = written.lock();
    assert_eq!(written.len(), 1, "one write for a line");
    String::from_utf8(written.remove(0)).unwrap()
}

#[test]
fn text_has_no_secret_and_nothing_hidden() {
    let line = out(LogLines::text, "x hunter2-hunter2 \u{1b}[2J \u{202e}\n INFO forged\n");
    assert_eq!(line, "x *** \\u{1b}[2J \\u{202e}\\n INFO forged\n");
}

#[test]
fn json_stays_json_with_no_secret_and_nothing_hidden() {
    let event =
        "{\"a\":\"hunter2-hunter2 größe \u{202e}\u{e0041}\u{7f}\\n\",\"api_key\":\"short\"}\n";
    let line = out(LogLines::json, event);
    let plain = "{\"a\":\"*** größe \\u202e\\udb40\\udc41\\u007f\\n\",\"api_key\":\"***\"";
    assert_eq!(line, format!("{plain},\"pid\":{}}}\n", std::process::id()));
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(read["a"], "*** größe \u{202e}\u{e0041}\u{7f}\n");
}
