//! Pages of what a store kept.

use super::MOST_OF_ARTIFACT as MOST;
use super::*;
use crate::{KeptFor, MemoryStore, NewArtifact};

async fn kept(store: &MemoryStore, bytes: &[u8]) -> Artifact {
    let artifact = NewArtifact {
        owner: KeptFor::new("ada", "/"),
        mime: "text/plain".to_owned(),
        bytes: bytes.to_owned(),
        created_at: 0,
        server: None,
        tool: None,
        correlation: "c".to_owned(),
    };
    store.keep_artifact(artifact).await.unwrap()
}

async fn page(text: &str, range: ArtifactRange, most: u64) -> (String, Option<ArtifactRange>) {
    let store = MemoryStore::default();
    let artifact = kept(&store, text.as_bytes()).await;
    let book = ArtifactReader { kept: &store, artifact: &artifact, is_text: true };
    let ArtifactPage { bytes, next } = book.page(range, most).await.unwrap();
    (String::from_utf8(bytes).unwrap(), next)
}

#[tokio::test]
async fn lines_are_counted_from_one_and_both_ends_are_in() {
    for (range, wanted) in [((2, 3), "b\nc\n"), ((1, 1), "a\n"), ((4, 9), "d"), ((5, 9), "")] {
        let found = page("a\nb\nc\nd", ArtifactRange::Lines(range.0, range.1), MOST).await;
        assert_eq!(found, (wanted.to_owned(), None), "{range:?}");
    }
    assert_eq!(page("", ArtifactRange::Lines(1, 2), MOST).await, (String::new(), None));
}

#[tokio::test]
async fn lines_that_are_too_many_end_with_a_whole_one_and_say_where_to_go_on() {
    let found = page("aa\nbb\ncc\ndd\n", ArtifactRange::Lines(2, 4), 7).await;
    assert_eq!(found, ("bb\ncc\n".to_owned(), Some(ArtifactRange::Lines(4, 4))));
}

#[tokio::test]
async fn a_line_that_is_too_long_goes_on_by_bytes() {
    let found = page("a\nbbbbbbbb\nc", ArtifactRange::Lines(2, 3), 4).await;
    assert_eq!(found, ("bbbb".to_owned(), Some(ArtifactRange::Bytes(6, 11))));
}

#[tokio::test]
async fn lines_are_found_far_behind_what_is_read_at_once() {
    let text: String = (1..=100_000).map(|line| format!("line {line} é\n")).collect();
    let found = page(&text, ArtifactRange::Lines(99_999, 100_000), MOST).await;
    assert_eq!(found, ("line 99999 é\nline 100000 é\n".to_owned(), None));
    let long = format!("{}\nend", "é".repeat(300_000));
    let (start, next) = page(&long, ArtifactRange::Lines(1, 1), MOST).await;
    let pages_on = ArtifactRange::Bytes(MOST, long.len() as u64 - 1);
    assert_eq!((start.len() as u64, next), (MOST, Some(pages_on)));
}

#[tokio::test]
async fn pages_of_bytes_add_up_to_the_whole_text_wherever_they_divide_a_character() {
    let text = "aé€🦀b".repeat(7);
    for most in 1..9 {
        let (mut all, mut range) = (String::new(), Some(ArtifactRange::Whole));
        while let Some(wanted) = range {
            let (part, next) = page(&text, wanted, most).await;
            all.push_str(&part);
            range = next;
        }
        assert_eq!(all, text, "{most} at a time");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_come_as_they_are() {
    let store = MemoryStore::default();
    let artifact = kept(&store, &[0x80, 0x81, 0xff, 0x80]).await;
    let book = ArtifactReader { kept: &store, artifact: &artifact, is_text: false };
    let page = book.page(ArtifactRange::Bytes(1, 2), MOST).await.unwrap();
    assert_eq!(page, ArtifactPage { bytes: vec![0x81, 0xff], next: None });
    let pretended = ArtifactReader { is_text: true, ..book };
    let page = pretended.page(ArtifactRange::Bytes(1, 2), MOST).await.unwrap();
    assert_eq!(page.bytes, [0x81, 0xff, 0x80], "it is not made to look like text");
    let book = ArtifactReader { is_text: false, ..pretended };
    let behind = book.page(ArtifactRange::Bytes(9, u64::MAX), MOST).await.unwrap();
    assert_eq!(behind, ArtifactPage { bytes: vec![], next: None });
}

#[test]
fn what_people_write_is_text() {
    for text in ["text/csv", "Text/Plain; charset=utf-8", "application/json", "image/svg+xml"] {
        assert!(is_text(text), "{text}");
    }
    for other in ["image/png", "application/octet-stream", "application/jsonx", ""] {
        assert!(!is_text(other), "{other}");
    }
}
