//! First messages as clients write them, cut, spread and bent.

use super::*;

fn list(bytes: &[u8]) -> Vec<u8> {
    let mut list = u16::try_from(bytes.len()).unwrap().to_be_bytes().to_vec();
    list.extend_from_slice(bytes);
    list
}

fn message(names: &[&str]) -> Vec<u8> {
    let mut extensions = vec![0, 0x2b, 0, 3, 2, 3, 4];
    for name in names {
        let name = [&[HOST_NAME], list(name.as_bytes()).as_slice()].concat();
        extensions.extend([[0, 0].as_slice(), &list(&list(&name))].concat());
    }
    let mut body = vec![3, 3];
    body.extend([7; 32]);
    body.extend([0, 0, 2, 0x13, 1, 1, 0]);
    body.extend(list(&extensions));
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[CLIENT_HELLO], &length[1..], body.as_slice()].concat()
}

fn records(message: &[u8], size: usize) -> Vec<u8> {
    message
        .chunks(size)
        .flat_map(|part| [&[HANDSHAKE, 3, 1], list(part).as_slice()].concat())
        .collect()
}

/// A first message for these names, in one record.
pub(in crate::network) fn hello(names: &[&str]) -> Vec<u8> {
    records(&message(names), 16_000)
}

fn named(name: &str) -> FirstBytes {
    FirstBytes::Hello(SaidServerName::Named(name.to_owned()))
}

#[test]
fn the_name_is_found_however_the_message_is_spread() {
    let message = message(&["api.example.com"]);
    for size in [1, 3, 4, 5, 40, 16_000] {
        let bytes = records(&message, size);
        assert_eq!(look_at(&bytes), named("api.example.com"), "{size}");
        for end in 0..bytes.len() {
            assert_eq!(look_at(&bytes[..end]), FirstBytes::Incomplete, "{size} {end}");
        }
    }
}

#[test]
fn what_is_no_tls_is_told_by_its_first_bytes() {
    for other in [&b"GET / HTTP/1.1\r\n"[..], b"SSH-2.0-x", &[22, 2], &[0x80, 46, 1], &[23, 3, 3]] {
        assert_eq!(look_at(other), FirstBytes::Other);
    }
    assert_eq!(look_at(&[]), FirstBytes::Incomplete);
}

#[test]
fn no_name_two_names_and_nonsense_are_told_apart() {
    assert_eq!(look_at(&hello(&[])), FirstBytes::Hello(SaidServerName::None));
    let garbled = FirstBytes::Hello(SaidServerName::Garbled);
    assert_eq!(look_at(&hello(&["a.example.com", "b.example.com"])), garbled);
    let mut other_message = hello(&["a.example.com"]);
    other_message[5] = 2;
    assert_eq!(look_at(&other_message), garbled);
    let empty_record = [HANDSHAKE, 3, 1, 0, 0];
    assert_eq!(look_at(&empty_record), garbled);
    // Lengths that lead beyond the message.
    let whole = hello(&["a.example.com"]);
    for at in 9..whole.len() {
        let mut bent = whole.clone();
        bent[at] = 0xff;
        let _ = look_at(&bent);
    }
}
