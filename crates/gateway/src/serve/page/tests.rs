//! Pages and cursors, over items that are nothing but numbers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_wire::MessageIdBuf;

use super::answer::PIECE;
use super::*;

#[derive(Default)]
struct Numbers {
    keys: Vec<String>,
    bytes: usize,
    written: Arc<AtomicUsize>,
    /// By their places: what is kept for everybody who is shown these.
    shared: HashMap<usize, Vec<u8>>,
}

impl PageItems for Numbers {
    fn count(&self) -> usize {
        self.keys.len()
    }

    fn key(&self, place: usize) -> &str {
        &self.keys[place]
    }

    fn shared(&self, place: usize) -> Option<&[u8]> {
        self.shared.get(&place).map(Vec::as_slice)
    }

    fn write(&self, place: usize, out: &mut Vec<u8>) {
        self.written.fetch_add(1, Ordering::Relaxed);
        let text = format!("\"{}{}\"", self.keys[place], " ".repeat(self.bytes));
        out.extend_from_slice(text.as_bytes());
    }
}

fn of(numbers: impl Iterator<Item = usize>) -> ListPages {
    let keys = numbers.map(|number| format!("k{number:05}")).collect();
    ListPages::new(ListKind::Tools, Arc::new(Numbers { keys, ..Numbers::default() }))
}

fn answer(page: &Arc<WrittenPage>, era: Era) -> ListPageAnswer {
    Arc::clone(page).answer(MessageIdBuf::from_text("x").as_id(), era, 5)
}

/// The whole message.
fn text(page: &Arc<WrittenPage>, era: Era) -> String {
    String::from_utf8(answer(page, era).whole()).unwrap()
}

/// The keys of a page and where the next one begins.
fn read(page: &Arc<WrittenPage>) -> (Vec<String>, Option<String>) {
    let value: serde_json::Value = serde_json::from_str(&text(page, Era::Modern)).unwrap();
    assert_eq!((&value["jsonrpc"], &value["id"]), (&"2.0".into(), &"x".into()));
    let value = &value["result"];
    let next = value.get("nextCursor").map(|next| next.as_str().unwrap().to_owned());
    let items = value["tools"].as_array().unwrap().iter();
    (items.map(|item| item.as_str().unwrap().trim().to_owned()).collect(), next)
}

fn all_of(pages: &ListPages) -> Vec<String> {
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let (items, next) = read(&pages.page(cursor.as_deref()).unwrap());
        seen.extend(items);
        cursor = next;
        if cursor.is_none() {
            return seen;
        }
    }
}

#[test]
fn all_pages_together_hold_every_item_once() {
    for count in [0, 1, PAGE_ITEMS, PAGE_ITEMS + 1, 2 * PAGE_ITEMS + 7] {
        let expected: Vec<_> = (0..count).map(|number| format!("k{number:05}")).collect();
        assert_eq!(all_of(&of(0..count)), expected);
    }
}

#[test]
fn a_page_has_no_more_bytes_than_it_may_unless_one_item_alone_does() {
    for bytes in [PAGE_BYTES / 3, PAGE_BYTES + 1] {
        let keys: Vec<_> = (0..5).map(|number| format!("k{number}")).collect();
        let items = Numbers { keys: keys.clone(), bytes, ..Numbers::default() };
        let pages = ListPages::new(ListKind::Tools, Arc::new(items));
        assert_eq!(all_of(&pages), keys);
        let many = pages.written.lock().iter().any(|page| page.end - page.start > 1);
        assert_eq!(many, bytes < PAGE_BYTES);
        assert!(pages.written.lock().iter().all(|page| page.bytes < PAGE_BYTES + 100));
    }
}

#[test]
fn a_page_is_written_when_it_is_asked_for_and_once() {
    let written = Arc::new(AtomicUsize::new(0));
    let keys = (0..5000).map(|number| format!("k{number:05}")).collect();
    let items = Numbers { keys, written: Arc::clone(&written), ..Numbers::default() };
    let pages = ListPages::new(ListKind::Tools, Arc::new(items));
    for _ in 0..3 {
        pages.page(None).unwrap();
        assert_eq!(written.load(Ordering::Relaxed), PAGE_ITEMS);
    }
    all_of(&pages);
    all_of(&pages);
    assert_eq!(written.load(Ordering::Relaxed), 5000);
}

/// What everybody is shown stands beside what is written for this list alone, each in its place, and counts
/// as much towards the length of a page.
#[test]
fn what_is_kept_for_everybody_is_neither_written_again_nor_kept_in_the_page() {
    let written = Arc::new(AtomicUsize::new(0));
    let keys: Vec<_> = (0..6).map(|number| format!("k{number}")).collect();
    let bytes = PAGE_BYTES / 5;
    let text = |key: &String| format!("\"{key}{}\"", " ".repeat(bytes)).into_bytes();
    let shared = [0, 2, 3, 5].map(|place| (place, text(&keys[place]))).into();
    let items = Numbers { keys: keys.clone(), bytes, written: Arc::clone(&written), shared };
    let pages = ListPages::new(ListKind::Tools, Arc::new(items));
    assert_eq!(all_of(&pages), keys);
    assert_eq!(all_of(&pages), keys);
    let first = pages.page(None).unwrap();
    assert_eq!((first.start, first.end), (0, 4));
    assert!(first.bytes > 4 * bytes && first.bytes < PAGE_BYTES, "{}", first.bytes);
    assert_eq!(first.own.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [1]);
    // Two of them, and the one that no longer went into the first page was tried there.
    assert_eq!(written.load(Ordering::Relaxed), 3);
}

#[test]
fn what_cannot_be_a_cursor_leads_nowhere() {
    for odd in ["?", "not base64!", "\u{0}"] {
        assert!(of(0..3).page(Some(odd)).is_none(), "{odd}");
    }
}

/// Memory is not for whoever makes up cursors.
#[test]
fn nothing_is_kept_of_a_page_that_a_made_up_cursor_leads_to() {
    let pages = of(0..5000);
    pages.page(None).unwrap();
    for number in 0..PAGE_ITEMS - 1 {
        let cursor = URL_SAFE_NO_PAD.encode(format!("k{number:05}"));
        let (items, _) = read(&pages.page(Some(&cursor)).unwrap());
        assert_eq!(items[0], format!("k{:05}", number + 1));
    }
    assert_eq!(pages.written.lock().len(), 1);
}

/// The list is another one by the second page: the item that the first ended with is gone, others came
/// and went before it.
#[test]
fn a_list_that_changes_between_two_pages_is_gone_on_with_where_its_reader_was() {
    let (first, next) = read(&of((0..3000).map(|number| number * 2)).page(None).unwrap());
    assert_eq!(first.last().unwrap(), "k01998");
    let later = of((500..6000).filter(|number| *number != 1998));
    let (second, _) = read(&later.page(next.as_deref()).unwrap());
    assert_eq!(second[0], "k01999");
    assert_eq!(second.len(), PAGE_ITEMS);
    // And where nothing follows.
    let (nothing, next) = read(&of(0..7).page(next.as_deref()).unwrap());
    assert_eq!((nothing.len(), next), (0, None));
}

#[test]
fn only_the_modern_era_is_told_how_long_a_list_holds() {
    let page = of(0..1).page(None).unwrap();
    assert_eq!(
        text(&page, Era::Legacy),
        r#"{"jsonrpc":"2.0","id":"x","result":{"tools":["k00000"]}}"#
    );
    assert!(
        text(&page, Era::Modern)
            .contains(r#"],"resultType":"complete","ttlMs":5,"cacheScope":"private""#)
    );
}

/// Whoever takes it piece by piece gets the same as whoever takes it at once, and as much as was announced.
#[test]
fn a_message_in_pieces_is_the_message() {
    for (count, bytes) in [(0, 0), (1, 0), (1, 100_000), (3, 40_000), (PAGE_ITEMS, 900)] {
        let keys: Vec<_> = (0..count).map(|number| format!("k{number:05}")).collect();
        // Every third stands in the page alone.
        let item = |place: usize| format!("\"{}{}\"", keys[place], " ".repeat(bytes)).into_bytes();
        let shared = (0..count).filter(|place| place % 3 > 0).map(|place| (place, item(place)));
        let shared = shared.collect();
        let items = Numbers { keys: keys.clone(), bytes, shared, ..Numbers::default() };
        let page = ListPages::new(ListKind::Tools, Arc::new(items)).page(None).unwrap();
        for era in [Era::Legacy, Era::Modern] {
            let mut message = answer(&page, era);
            assert_eq!(message.len(), text(&page, era).len());
            let pieces: Vec<_> = std::iter::from_fn(|| message.piece()).collect();
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
            assert_eq!(pieces.concat(), text(&page, era).as_bytes());
            let most = count * (bytes + 10) / PIECE + 2;
            assert!(pieces.len() <= most, "{} pieces", pieces.len());
        }
    }
}
