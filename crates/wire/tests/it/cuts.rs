//! Streams give the same lines and the same events wherever they are cut.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::fuzzed::{events_of, lines_of};

/// Pieces of a stream, the awkward ones more often than life has them.
fn stream(parts: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        5 => select(parts).prop_map(|part| part.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..40),
    ];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

const LINES: [&str; 7] = ["\n", "\r\n", "\r", " ", "{}", "\u{feff}", "{\"a\":1}\n"];

const EVENTS: [&str; 20] = [
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\u{feff}",
    "data: abc",
    "data",
    "data:",
    "da",
    "ta: x",
    "id: 1",
    "id: \0",
    "id",
    "event: x",
    "retry: 12",
    "retry: 1x",
    ": comment",
    ":",
    "other: y",
    "data: long enough",
];

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    vec(prop_oneof![1..9_usize, 1..60_usize], 1..6)
}

/// The format once more, slow and plain: whole stream in hand, one line after the other.
fn by_the_standard(stream: &[u8]) -> Vec<(String, Option<String>, Vec<u8>)> {
    let stream = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    // One character per byte, so that text and bytes can be told apart again at the end.
    let stream: String = stream.iter().map(|byte| char::from(*byte)).collect();
    let stream = stream.replace("\r\n", "\n").replace('\r', "\n");
    let bytes = |text: &str| text.chars().map(|char| char as u8).collect::<Vec<u8>>();
    let text = |text: &str| String::from_utf8_lossy(&bytes(text)).into_owned();
    let (mut events, mut name, mut id, mut data) = (Vec::new(), String::new(), None, Vec::new());
    let Some((lines, _)) = stream.rsplit_once('\n') else { return events };
    for line in lines.split('\n') {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                if !data.is_empty() {
                    let name = if name.is_empty() { "message" } else { &*name };
                    events.push((name.to_owned(), id.clone(), bytes(&data.join("\n"))));
                }
                (name, id, data) = (String::new(), None, Vec::new());
            }
            "event" => name = text(value),
            "data" => data.push(value),
            "id" if !value.contains('\0') => id = Some(text(value)),
            _ => {}
        }
    }
    events
}

proptest! {
    #[test]
    fn lines_do_not_depend_on_the_cuts(stream in stream(&LINES), cuts in cuts(), longest in 0..60_usize) {
        prop_assert_eq!(lines_of(&stream, &cuts, longest), lines_of(&stream, &[usize::MAX], longest));
    }

    #[test]
    fn events_do_not_depend_on_the_cuts(stream in stream(&EVENTS), cuts in cuts(), largest in 0..60_usize) {
        prop_assert_eq!(events_of(&stream, &cuts, largest), events_of(&stream, &[usize::MAX], largest));
    }

    /// With no cap in the way, events are what the standard says, read off line by line.
    #[test]
    fn events_are_what_the_standard_says(stream in stream(&EVENTS), cuts in cuts()) {
        let events: Vec<_> = events_of(&stream, &cuts, usize::MAX).0.into_iter().flatten().collect();
        prop_assert_eq!(events, by_the_standard(&stream));
    }

    /// With no cap in the way, lines are what splitting at newlines gives.
    #[test]
    fn lines_are_what_stands_between_newlines(stream in "[ -~\r\n]{0,200}") {
        let expected: Vec<Vec<u8>> = stream
            .split('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| line.as_bytes().to_vec())
            .collect();
        let lines: Vec<Vec<u8>> =
            lines_of(stream.as_bytes(), &[7], 1000).into_iter().map(|line| line.expect("short")).collect();
        prop_assert_eq!(lines, expected);
    }
}
