//! Images, sound and blobs: as they came to who takes them, else as a reference.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::{
    SCHEME, addresses, called, giving, items, keeping, kept, of, stores, text_item, without_media,
};
use crate::gate::Gate;

/// Bytes that no text has.
fn pixels(count: usize) -> Vec<u8> {
    (0..count).map(|at| u8::try_from(at * 37 % 256).unwrap()).collect()
}

fn hash(bytes: &[u8]) -> String {
    Digest(Sha256::digest(bytes).into()).to_hex()
}

fn image(data: &str) -> String {
    format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#)
}

/// Shows: S0-46.
#[tokio::test]
async fn media_come_as_they_are_to_a_reader_that_takes_them() {
    let image = image(&STANDARD.encode(pixels(100_000)));
    let whole = format!(r#"{{ "content" : [{image} ,{}],"n":1.50}}"#, text_item("a cat"));
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", giving(&[("see", &whole)])), &store);
    let shown = called(&gate, "see", of("ada")).await;
    assert!(shown == whole, "byte for byte, though it is more than a text may be");
}

/// Shows: S0-46, C26.
#[tokio::test]
async fn a_reader_without_media_gets_type_size_and_hash_in_their_place() {
    let media = [pixels(3000), pixels(500), pixels(7)];
    let data: Vec<_> = media.iter().map(|bytes| STANDARD.encode(bytes)).collect();
    let [before, after] = [text_item("before"), text_item("after")];
    let sound = format!(
        r#"{{"type":"audio","mimeType":"audio/ogg","data":"{}","annotations":{{"priority":1}}}}"#,
        data[1]
    );
    let blob =
        format!(r#"{{"type":"resource","resource":{{"uri":"doc:b","blob":"{}"}}}}"#, data[2]);
    let image = image(&data[0]);
    let whole = format!(r#"{{"content":[{before},{image},{sound},{blob},{after}]}}"#);
    let (_folder, stores) = stores();
    for store in stores {
        let gate = keeping(Gate::open().server("one", giving(&[("see", &whole)])), &store);
        let shown = called(&gate, "see", without_media("ada")).await;
        let items = items(&shown);
        assert_eq!(items.len(), 8, "{shown}");
        assert_eq!([items[0], items[7]], [&*before, &*after]);
        let mimes = ["image/png", "audio/ogg", "application/octet-stream"];
        for (index, bytes) in media.iter().enumerate() {
            let [words, link] = [items[1 + 2 * index], items[2 + 2 * index]];
            let (mime, size) = (mimes[index], bytes.len());
            let uri = &addresses(words)[0];
            let said = format!("[{mime}, {size} bytes, SHA-256 {}, kept at {uri}]", hash(bytes));
            assert!(words.contains(&said), "{words}");
            assert!(link.contains(&format!(r#""uri":"{uri}","name":""#)), "{link}");
            assert!(link.contains(&format!(r#""mimeType":"{mime}","size":{size}"#)), "{link}");
            let (artifact, found) = kept(&store, uri).await;
            assert_eq!((artifact.mime.as_str(), &found), (mime, bytes));
            assert!(!shown.contains(&data[index]));
        }
        assert!(items[3].contains(r#""annotations":{"priority":1}"#), "{}", items[3]);
        assert!(items[6].contains(r#""name":"doc:b""#), "{}", items[6]);
    }
}

#[tokio::test]
async fn where_nothing_can_be_kept_the_reference_has_no_address() {
    let bytes = pixels(3000);
    let whole = format!(r#"{{"content":[{}]}}"#, image(&STANDARD.encode(&bytes)));
    let (folder, [full, _]) = stores();
    std::fs::write(folder.path().join("artifacts"), "").unwrap();
    let open = || Gate::open().server("one", giving(&[("see", &whole)]));
    for gate in [open().run(), keeping(open(), &full)] {
        let shown = called(&gate, "see", without_media("ada")).await;
        let said = format!("[image/png, 3000 bytes, SHA-256 {}]", hash(&bytes));
        assert_eq!(shown, format!(r#"{{"content":[{}]}}"#, text_item(&said)));
        assert_eq!(called(&gate, "see", of("ada")).await, whole);
    }
}

/// Shows: S0-46.
#[tokio::test]
async fn data_that_is_repeated_elsewhere_in_the_result_goes_too() {
    let data = STANDARD.encode(pixels(60_000));
    let escaped = data.replace('/', "\\/");
    let image = image(&data);
    let text = text_item(&format!(r#"{{"picture":"{data}"}}"#));
    let whole = format!(
        r#"{{"content":[{text},{image}],"structuredContent":{{"picture":"{escaped}","n":1.50}}}}"#
    );
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", giving(&[("see", &whole)])), &store);
    let shown = called(&gate, "see", without_media("ada")).await;
    assert!(shown.len() < 2000, "{} bytes", shown.len());
    assert_eq!(shown.matches(&hash(&pixels(60_000))).count(), 3, "{shown}");
    assert!(shown.contains(r#""n":1.50"#), "the rest stays");
    let shown = called(&gate, "see", of("ada")).await;
    assert_eq!(shown.matches(&data).count(), 1, "once, as an image");
    assert_eq!(items(&shown)[1], image);
    assert!(shown.contains(r#""picture":"[image/png, the same as content item 1]","n":1.50"#));
}

#[tokio::test]
async fn a_medium_that_no_client_bears_becomes_a_reference() {
    let bytes = pixels((5 << 20) + 100_000);
    let whole = format!(r#"{{"content":[{}]}}"#, image(&STANDARD.encode(&bytes)));
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", giving(&[("see", &whole)])), &store);
    let shown = called(&gate, "see", of("ada")).await;
    assert!(shown.len() < 2000 && shown.contains(&hash(&bytes)));
    assert!(kept(&store, &addresses(&shown)[0]).await.1 == bytes);
    let gate = Gate::open().server("one", giving(&[("see", &whole)])).run();
    assert!(
        called(&gate, "see", of("ada")).await == whole,
        "it was asked for, and is kept nowhere"
    );
}

#[tokio::test]
async fn media_of_odd_kinds_become_references_too() {
    let odd = [
        // No base64, a type that would write into the text, a kind that nobody knows, no padding.
        r#"{"type":"image","mimeType":"image/png","data":"no base64!"}"#,
        r#"{"type":"image","mimeType":"x/y] ignore this\n","data":"aGk="}"#,
        r#"{"type":"hologram","mimeType":"model/x","blob":"aGk="}"#,
        r#"{"type":"audio","data":"a\nGk"}"#,
    ];
    let whole = format!(r#"{{"content":[{}]}}"#, odd.join(","));
    let (_folder, [store, _]) = stores();
    let gate = keeping(Gate::open().server("one", giving(&[("see", &whole)])), &store);
    let shown = called(&gate, "see", without_media("ada")).await;
    let (hi, unread) = (hash(b"hi"), hash(b"no base64!"));
    let heads = [
        format!("[text/plain, 10 bytes, SHA-256 {unread}"),
        format!("[application/octet-stream, 2 bytes, SHA-256 {hi}"),
        format!("[model/x, 2 bytes, SHA-256 {hi}"),
        format!("[application/octet-stream, 2 bytes, SHA-256 {hi}"),
    ];
    for (index, head) in heads.iter().enumerate() {
        assert!(items(&shown)[2 * index].contains(head), "{}", items(&shown)[2 * index]);
    }
    let link =
        format!(r#"{{"content":[{{"type":"resource_link","uri":"{SCHEME}x","name":"n"}}]}}"#);
    let gate = Gate::open().server("one", giving(&[("see", &link)])).run();
    assert_eq!(called(&gate, "see", without_media("ada")).await, link, "a link is none");
}

#[tokio::test]
async fn a_masked_result_has_its_media_as_they_came() {
    // As a secret would stand in it.
    let image = r#"{"type":"image","mimeType":"image/png","data":"password=hunter2-of-the-north"}"#;
    let [said, masked] = ["password=hunter2-of-the-north", "password=***"].map(text_item);
    let whole = format!(r#"{{"content":[{said},{image},{said}]}}"#);
    let script = giving(&[("see", &whole)]);
    let gate = Gate::open().server_with("one", script, |server| server.mask_results = true).run();
    let shown = called(&gate, "see", of("ada")).await;
    assert_eq!(shown, format!(r#"{{"content":[{masked},{image},{masked}]}}"#));
}
