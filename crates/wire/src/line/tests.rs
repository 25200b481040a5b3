//! Lines from pieces, and messages as lines.

use super::*;

/// What a stream in these pieces gives, in one notation.
fn lines(longest: usize, pieces: &[&str]) -> Vec<String> {
    let mut decoder = LineDecoder::new(longest);
    let mut seen = Vec::new();
    let show = |line: DecodedLine<'_>| match line {
        DecodedLine::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
        DecodedLine::TooLong { head } => format!("too long: {}", String::from_utf8_lossy(head)),
        DecodedLine::Part(_) | DecodedLine::PartsEnd => panic!("nothing is followed here"),
    };
    for piece in pieces {
        let mut input = piece.as_bytes();
        while let Some(line) = decoder.next(&mut input) {
            seen.push(show(line));
        }
        assert!(input.is_empty());
    }
    seen.extend(decoder.finish().map(show));
    seen
}

#[test]
fn lines_are_put_together_from_pieces() {
    assert_eq!(
        lines(99, &["{\"a\":", "1}\n{", "}\n", "[]\n[1]\n"]),
        ["{\"a\":1}", "{}", "[]", "[1]"]
    );
}

#[test]
fn a_whole_line_is_not_copied() {
    let stream = b"first\nsecond\n";
    let mut decoder = LineDecoder::new(99);
    let mut input = stream.as_slice();
    let Some(DecodedLine::Whole(line)) = decoder.next(&mut input) else { panic!("no line") };
    assert!(std::ptr::eq(line, &stream[..5]));
}

#[test]
fn carriage_returns_and_blank_lines_mean_nothing() {
    assert_eq!(lines(99, &["a\r\n\r\n", "\n  \t\n", "b\r", "\n"]), ["a", "b"]);
    assert_eq!(lines(99, &["a\rb\n"]), ["a\rb"], "inside a line it is a character");
}

#[test]
fn a_line_at_the_cap_is_whole_and_one_beyond_is_skipped() {
    assert_eq!(lines(4, &["1234\n12345\nabc\n"]), ["1234", "too long: 1234", "abc"]);
    assert_eq!(lines(4, &["12", "34", "5678", "9", "\nabc\n"]), ["too long: 1234", "abc"]);
    assert_eq!(lines(4, &["12345"]), ["too long: 1234"]);
}

#[test]
fn a_line_that_is_too_long_is_not_buffered() {
    let mut decoder = LineDecoder::new(1000);
    let piece = [b'x'; 500];
    let mut told = 0;
    for _ in 0..10_000 {
        let mut input = piece.as_slice();
        while decoder.next(&mut input).is_some() {
            told += 1;
        }
    }
    assert_eq!(told, 1);
    assert!(decoder.partial.capacity() < 4096);
}

#[test]
fn a_large_line_does_not_hold_its_memory() {
    let mut decoder = LineDecoder::new(usize::MAX);
    let large = vec![b'x'; 1_000_000];
    for mut piece in [large.as_slice(), b"\n", b"next\n", b"\n"] {
        while decoder.next(&mut piece).is_some() {}
    }
    assert!(decoder.partial.capacity() <= KEPT_CAPACITY);
}

#[test]
fn the_end_of_the_stream_ends_the_last_line() {
    assert_eq!(lines(99, &["a\nb"]), ["a", "b"]);
    assert_eq!(lines(99, &["a\n  "]), ["a"]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    assert_eq!(lines(99, &["\u{feff}{}\n\u{feff}{}\n"]), ["{}", "\u{feff}{}"]);
}

#[test]
fn newlines_inside_a_message_do_not_end_its_line() {
    let message = "{\n  \"a\": \"x\\ny\",\r\n\t\"b\": [\n 1,\n 2 ]\n}";
    let mut out = b"before".to_vec();
    out.extend_from_slice(message.as_bytes());
    end_line(&mut out, 6);
    assert_eq!(String::from_utf8(out).unwrap(), "before{\"a\": \"x\\ny\",\"b\": [1,2 ]}\n");
    let mut out = Vec::new();
    write_line(&mut out, message.as_bytes());
    write_line(&mut out, b"{}");
    assert_eq!(String::from_utf8(out).unwrap(), "{\"a\": \"x\\ny\",\"b\": [1,2 ]}\n{}\n");
}

/// What comes of these bytes, cut in pieces of every size: whole lines, and long ones put together.
#[test]
fn a_line_beyond_the_cap_comes_in_parts_where_it_is_followed() {
    let bytes = b"short\n0123456789abcdef\r\n\nexactly8\n9 letters\nend\n";
    for size in 1..=bytes.len() {
        let mut decoder = LineDecoder::following(8);
        let (mut seen, mut long) = (Vec::new(), Vec::new());
        for mut piece in bytes.chunks(size) {
            while let Some(item) = decoder.next(&mut piece) {
                match item {
                    DecodedLine::Whole(line) => seen.push(line.to_vec()),
                    DecodedLine::Part(part) => long.extend_from_slice(part),
                    DecodedLine::PartsEnd => {
                        seen.push([b"long: ", &*std::mem::take(&mut long)].concat());
                    }
                    DecodedLine::TooLong { .. } => panic!("it is followed"),
                }
            }
        }
        let seen: Vec<_> = seen.iter().map(|line| String::from_utf8_lossy(line)).collect();
        let expected = ["short", "long: 0123456789abcdef\r", "exactly8", "long: 9 letters", "end"];
        assert_eq!(seen, expected, "in pieces of {size}");
    }
}
