//! Bytes that are no index are an error, whatever they are.

use super::*;

/// One entry of version 2.
fn whole() -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
    bytes.extend([0; 24]);
    bytes.extend(0o100_644_u32.to_be_bytes());
    bytes.extend([0; 8]);
    bytes.extend(7_u32.to_be_bytes());
    bytes.extend([1; 20]);
    bytes.extend(3_u16.to_be_bytes());
    bytes.extend(b"a/b\0\0\0\0\0\0\0");
    bytes.extend([9; 20]);
    bytes
}

#[test]
fn an_entry_is_read_and_every_cut_of_it_is_malformed() {
    let bytes = whole();
    let entries = parse(&bytes).unwrap();
    assert_eq!((&*entries[0].path, entries[0].seen.size), (&b"a/b"[..], 7));
    for end in 0..bytes.len() - 28 {
        assert!(parse(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn no_byte_in_the_wrong_place_does_more_than_fail() {
    let bytes = whole();
    for at in 0..bytes.len() {
        for value in [0, 1, b'.', b'/', 0x7f, 0x80, 0xff] {
            let mut odd = bytes.clone();
            odd[at] = value;
            let _ = parse(&odd);
        }
    }
    let at = bytes.windows(3).position(|name| name == b"a/b").unwrap();
    for path in [b"../", b"/a/", b"a//", b"./b"] {
        let mut odd = bytes.clone();
        odd[at..at + 3].copy_from_slice(path);
        assert!(parse(&odd).is_err(), "{path:?}");
    }
}
