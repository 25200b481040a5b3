//! Long answers, as they are sent.

use std::io::Write as _;
use std::sync::Arc;

use toolgate_types::{CutMark, CutString, DiskShare};

use super::*;

const REST: &[u8] = b"0123456789";

/// An answer that says this with the rest at `%`, of which the file has only so much.
fn reply(text: &str, in_file: usize) -> LongReply {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&REST[..in_file]).unwrap();
    let mark = CutMark::new("secret");
    let told = mark.of(CutString { number: 0, length: 99 });
    let places = std::iter::once(0..REST.len() as u64).collect();
    let share = DiskShare::take(&Arc::default(), 0, 0).unwrap().into();
    let rests = StringRests { file: Arc::new(file), mark, places, share };
    LongReply::new(7_u64.into(), text.replace('%', &told).into_bytes(), rests)
}

async fn all(mut reading: LongReading) -> (String, bool) {
    let (mut sent, mut left) = (Vec::new(), reading.left());
    while let Some(bytes) = reading.next().await {
        let Ok(bytes) = bytes else {
            assert!(reading.next().await.is_none(), "nothing comes after a failure");
            return (String::from_utf8(sent).unwrap(), false);
        };
        left -= bytes.len() as u64;
        assert_eq!(reading.left(), left, "what is announced is what comes");
        sent.extend_from_slice(&bytes);
    }
    assert_eq!(left, 0);
    (String::from_utf8(sent).unwrap(), true)
}

#[tokio::test]
async fn the_rest_of_each_string_stands_where_its_mark_stood() {
    for text in ["[\"%\"]", "%", "%%", "a%b%", "nothing"] {
        let whole = text.replace('%', std::str::from_utf8(REST).unwrap());
        let ten = REST.len();
        assert_eq!(all(reply(text, ten).document()).await, (whole.clone(), true), "{text}");
        let line = reply(text, ten).line();
        assert_eq!(all(line.reading).await, (format!("{whole}\n"), true));
        let event = reply(text, ten).event(Some("1-2"));
        let expected = (format!("id: 1-2\ndata: {whole}\n\n"), true);
        for _ in 0..2 {
            assert_eq!(all(event.read().unwrap()).await, expected, "whoever comes back gets it");
        }
        event.let_go();
        assert!(event.read().is_none());
    }
}

#[tokio::test]
async fn what_cannot_be_read_to_its_end_is_no_end() {
    let (sent, is_whole) = all(reply("[\"%\"]", 4).document()).await;
    assert_eq!((&*sent, is_whole), ("[\"", false));
    let line = reply("[\"%\"]", 4).line();
    assert!(!all(line.reading).await.1);
    let broken = String::from_utf8(line.broken).unwrap();
    assert!(broken.contains(r#""id":7,"error":{"code":-32603"#), "{broken}");
}
