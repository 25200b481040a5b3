//! The event stream format, as the HTML standard has it, and what is written.

use super::*;

/// What a stream gives, in one notation: `name|id|data` per event.
fn events(stream: &[u8], largest: usize) -> Vec<String> {
    read(&mut SseDecoder::new(largest), stream)
}

fn read(decoder: &mut SseDecoder, mut stream: &[u8]) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(item) = decoder.next(&mut stream) {
        seen.push(match item {
            SseItem::TooLarge => "too large".to_owned(),
            SseItem::Part(_) | SseItem::PartsEnd => panic!("nothing is followed here"),
            SseItem::Event(SseEvent { name, data, id }) => {
                format!("{name}|{}|{}", id.unwrap_or("-"), String::from_utf8_lossy(data))
            }
        });
    }
    seen
}

#[test]
fn fields_make_an_event() {
    let stream = b"event: ping\nid: 7\ndata: {\"a\":1}\n\ndata:x\n\n";
    assert_eq!(events(stream, 99), ["ping|7|{\"a\":1}", "message|-|x"]);
}

#[test]
fn data_lines_are_joined_by_newlines() {
    assert_eq!(events(b"data: a\ndata:\ndata:  b\ndata\n\n", 99), ["message|-|a\n\n b\n"]);
}

#[test]
fn every_line_end_counts_once() {
    for stream in [
        "data: a\n\ndata: b\n\n",
        "data: a\r\rdata: b\r\r",
        "data: a\r\n\r\ndata: b\r\n\r\n",
        "data: a\n\r\ndata: b\r\n\n",
    ] {
        assert_eq!(events(stream.as_bytes(), 99), ["message|-|a", "message|-|b"], "{stream:?}");
    }
}

#[test]
fn a_pair_of_line_ends_is_no_empty_line() {
    assert_eq!(events(b"data: a\r\ndata: b\r\n\r\n", 99), ["message|-|a\nb"]);
    assert_eq!(events(b"data: a\n\rdata: b\n\n", 99), ["message|-|a", "message|-|b"]);
}

#[test]
fn an_event_in_pieces_leaves_nothing_to_the_next() {
    let mut decoder = SseDecoder::new(99);
    assert_eq!(read(&mut decoder, b"data: a"), [""; 0]);
    assert_eq!(read(&mut decoder, b"\n\ndata: b\ndata: c\n\n"), ["message|-|a", "message|-|b\nc"]);
}

#[test]
fn a_carriage_return_ends_its_line_at_once() {
    let mut decoder = SseDecoder::new(99);
    assert_eq!(read(&mut decoder, b"data: a\r\n\r"), ["message|-|a"], "no waiting for a newline");
    assert_eq!(read(&mut decoder, b"\ndata: b\r"), [""; 0]);
    assert_eq!(read(&mut decoder, b"\n\r\n"), ["message|-|b"]);
}

#[test]
fn a_data_line_in_one_piece_is_not_copied() {
    let stream = b"event: x\ndata: payload\nid: 1\n\n";
    let mut input = stream.as_slice();
    let mut decoder = SseDecoder::new(99);
    let Some(SseItem::Event(event)) = decoder.next(&mut input) else { panic!("no event") };
    assert!(std::ptr::eq(event.data, &stream[15..22]));
}

#[test]
fn comments_and_unknown_fields_are_ignored() {
    assert_eq!(events(b": hello\n:\nfoo: bar\nfoo\ndata: a\n: late\n\n", 99), ["message|-|a"]);
    let long = [b": ".as_slice(), &[b'x'; 500], b"\ndata: a\n\n"].concat();
    assert_eq!(events(&long, 20), ["message|-|a"], "a comment is no part of an event");
}

#[test]
fn an_event_without_data_is_none_but_its_id_counts() {
    let mut decoder = SseDecoder::new(99);
    assert_eq!(read(&mut decoder, b"id: 5\nevent: x\n\n"), [""; 0]);
    assert_eq!(decoder.last_event_id(), Some("5"));
    assert_eq!(read(&mut decoder, b"data: a\n\n"), ["message|-|a"]);
    assert_eq!(decoder.last_event_id(), Some("5"), "until another one comes");
    assert_eq!(read(&mut decoder, b"id: 6\ndata:\n\n"), ["message|6|"], "empty data is data");
    assert_eq!(decoder.last_event_id(), Some("6"));
    assert_eq!(read(&mut decoder, b"id\ndata: a\n\n"), ["message||a"]);
    assert_eq!(decoder.last_event_id(), None, "an empty id takes it back");
}

#[test]
fn an_id_with_nul_is_ignored_and_one_of_an_unfinished_event_too() {
    let mut decoder = SseDecoder::new(99);
    assert_eq!(read(&mut decoder, b"id: 1\nid: a\0b\ndata: x\n\n"), ["message|1|x"]);
    assert_eq!(read(&mut decoder, b"id: 2\ndata: y\n"), [""; 0]);
    assert_eq!(decoder.last_event_id(), Some("1"));
}

#[test]
fn retry_is_digits_only() {
    let mut decoder = SseDecoder::new(99);
    for (line, expected) in [
        ("retry: 1500\n", Some(1500)),
        ("retry: 1.5\n", Some(1500)),
        ("retry: -1\n", Some(1500)),
        ("retry:\n", Some(1500)),
        ("retry: 99999999999999999999999\n", Some(1500)),
        ("retry: 0\n", Some(0)),
    ] {
        read(&mut decoder, line.as_bytes());
        assert_eq!(decoder.retry_ms(), expected, "{line}");
    }
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    assert_eq!(events(b"\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\n", 99), ["message|-|a"]);
    let mut decoder = SseDecoder::new(99);
    for piece in [b"\xEF".as_slice(), b"\xBB", b"\xBFda", b"ta: a\n", b"\n"] {
        if piece == b"\n" {
            assert_eq!(read(&mut decoder, piece), ["message|-|a"]);
        } else {
            assert_eq!(read(&mut decoder, piece), [""; 0]);
        }
    }
    assert_eq!(events(b"\xEF\xBBdata: a\n\n", 99), [""; 0], "only the start of a mark");
}

#[test]
fn an_event_beyond_the_cap_is_skipped_to_its_end() {
    let stream = b"data: 1234\n\ndata: 12345\nid: 9\ndata: x\n\ndata: ok\n\n";
    assert_eq!(events(stream, 10), ["message|-|1234", "too large", "message|-|ok"]);
    let mut decoder = SseDecoder::new(10);
    assert_eq!(read(&mut decoder, b"data: 12345"), ["too large"], "told before its end comes");
    assert_eq!(read(&mut decoder, b"6789\n"), [""; 0]);
    assert_eq!(read(&mut decoder, b"\ndata: ok\n\n"), ["message|-|ok"]);
    assert_eq!(decoder.last_event_id(), None);
}

#[test]
fn what_is_too_large_is_not_buffered() {
    let mut decoder = SseDecoder::new(1000);
    let mut told = 0;
    for _ in 0..10_000 {
        told += read(&mut decoder, &[b'x'; 500]).len();
    }
    assert_eq!(told, 1);
}

#[test]
fn the_end_of_the_stream_makes_no_event() {
    assert_eq!(events(b"data: a\n\ndata: b\n", 99), ["message|-|a"]);
    assert_eq!(events(b"data: a", 99), [""; 0]);
}

#[test]
fn written_events_are_read_back() {
    let mut out = Vec::new();
    let event = SseEvent { name: "endpoint", data: b"a\nb\r\nc\r", id: Some("1-2") };
    write_event(&mut out, &event, Some(3000)).unwrap();
    write_comment(&mut out, "still\nhere");
    write_event(&mut out, &SseEvent { name: MESSAGE, data: b"", id: None }, None).unwrap();
    assert_eq!(
        String::from_utf8(out.clone()).unwrap(),
        "event: endpoint\nid: 1-2\nretry: 3000\ndata: a\ndata: b\ndata: c\ndata: \n\n\
         : still\n: here\n\ndata: \n\n"
    );
    assert_eq!(events(&out, 99), ["endpoint|1-2|a\nb\nc\n", "message|-|"]);
}

#[test]
fn names_and_ids_cannot_break_out_of_their_line() {
    let mut out = Vec::new();
    let named = write_event(&mut out, &SseEvent { name: "a\ndata: x", data: b"", id: None }, None);
    assert_eq!(named, Err(FieldError { field: "event" }));
    let with_id = write_event(&mut out, &SseEvent { name: "a", data: b"", id: Some("1\0") }, None);
    assert_eq!(with_id, Err(FieldError { field: "id" }));
    assert!(out.is_empty());
}

/// In pieces of every size: whole events, and the data of long ones put together.
#[test]
fn the_data_of_an_event_beyond_the_cap_comes_in_parts_where_it_is_followed() {
    let stream = "data: one\n\nid: 7\ndata: 0123456789abcdefghij\n\n: x\ndata: two\n\n\
                  data: 01234\r\ndata: 56789\r\ndata:abcdef\r\nevent: e\r\nid\r\n\r\ndata: end\n\n";
    for size in 1..=stream.len() {
        let mut decoder = SseDecoder::following(16);
        let (mut seen, mut long) = (Vec::new(), Vec::new());
        for mut piece in stream.as_bytes().chunks(size) {
            while let Some(item) = decoder.next(&mut piece) {
                match item {
                    SseItem::Event(event) => {
                        seen.push(String::from_utf8_lossy(event.data).into_owned());
                    }
                    SseItem::Part(part) => long.extend_from_slice(part),
                    SseItem::PartsEnd => {
                        let whole = std::mem::take(&mut long);
                        seen.push(format!("long: {}", String::from_utf8_lossy(&whole)));
                    }
                    SseItem::TooLarge => panic!("it is followed"),
                }
            }
        }
        let expected =
            ["one", "long: 0123456789abcdefghij", "two", "long: 01234\n56789\nabcdef", "end"];
        assert_eq!(seen, expected, "in pieces of {size}");
        assert_eq!(decoder.last_event_id(), Some("7"), "in pieces of {size}");
    }
}
