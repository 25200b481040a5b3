//! The end is told once there is nothing more to read, not before.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_util::sync::CancellationToken;

use super::Ending;

#[tokio::test]
async fn the_end_is_told_when_the_other_side_is_gone_and_all_is_read() {
    let (mut ours, theirs) = duplex(64);
    let over = CancellationToken::new();
    let mut ending = Ending { reader: theirs, over: over.clone() };
    ours.write_all(b"last words").await.unwrap();
    let mut nothing = [];
    assert_eq!(ending.read(&mut nothing).await.unwrap(), 0, "a read of nothing is no end");
    drop(ours);
    let mut words = [0; 10];
    ending.read_exact(&mut words).await.unwrap();
    assert_eq!((&words, over.is_cancelled()), (b"last words", false));
    assert_eq!(ending.read(&mut words).await.unwrap(), 0);
    assert!(over.is_cancelled());
}
