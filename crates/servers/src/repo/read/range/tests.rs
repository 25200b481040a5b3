//! Ranges come out the same however the bytes arrive.

use super::{LineRange, ReadLines};
use crate::repo::RepoBounds;

fn take(start: u64, end: u64, bounds: &RepoBounds, text: &str, piece: usize) -> ReadLines {
    let mut range = LineRange::new(start, end, bounds);
    text.as_bytes().chunks(piece).for_each(|piece| range.feed(piece));
    range.finish()
}

#[test]
fn a_range_is_the_same_in_pieces_of_any_size() {
    let text = "one\ntwo\r\n\nfour\nfünf";
    for piece in 1..=text.len() {
        let taken = take(2, 4, &RepoBounds::default(), text, piece);
        assert_eq!(taken.text, b"two\r\n\nfour\n");
        assert_eq!((taken.count, taken.seen, taken.is_full), (3, 5, false));
        let taken = take(5, u64::MAX, &RepoBounds::default(), text, piece);
        assert_eq!((taken.text, taken.count), ("fünf".as_bytes().to_vec(), 1));
    }
}

#[test]
fn a_long_line_is_cut_between_characters_and_the_next_is_whole() {
    let bounds = RepoBounds { line_bytes: 4, ..RepoBounds::default() };
    for piece in 1..20 {
        let taken = take(1, 9, &bounds, "aaaüüü\nabcd\n", piece);
        assert_eq!(String::from_utf8(taken.text).unwrap(), "aaa… [cut]\nabcd\n");
        assert_eq!((taken.cut, taken.count), (1, 2));
    }
}

#[test]
fn a_full_range_says_so_and_goes_on_counting() {
    let bounds = RepoBounds { lines: 2, ..RepoBounds::default() };
    let taken = take(1, u64::MAX, &bounds, "1\n2\n3\n4", 3);
    assert_eq!((&*taken.text, taken.count, taken.seen), (&b"1\n2\n"[..], 2, 4));
    assert!(taken.is_full);
    let taken = take(1, 2, &bounds, "1\n2\n3\n4", 3);
    assert!(!taken.is_full, "nothing that was asked for is missing");
}

#[test]
fn the_text_never_outgrows_its_bound() {
    let bounds = RepoBounds { bytes: 64, line_bytes: 16, ..RepoBounds::default() };
    let taken = take(1, u64::MAX, &bounds, &"0123456789012345678901234\n".repeat(50), 7);
    assert!(taken.text.len() <= 64 && taken.is_full && taken.count >= 1);
}
