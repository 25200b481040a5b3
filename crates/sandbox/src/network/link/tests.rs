//! What goes over the link, and what is not heard.

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use nix::sys::socket::{MsgFlags, send as send_bytes};

use super::*;

fn words(text: &str) -> Option<LinkMessage> {
    LinkMessage::of_words(text.as_bytes())
}

#[test]
fn a_message_is_read_as_it_was_written_and_nothing_else_is() {
    for message in [
        LinkMessage::Connect(RequestedHost::parse("api.example.com").unwrap(), 443),
        LinkMessage::Connect(RequestedHost::parse("[2001:db8::1]").unwrap(), 1),
        LinkMessage::Proxy,
        LinkMessage::Lookup(HostName::parse("a.example.com").unwrap()),
    ] {
        assert_eq!(words(&message.to_words()), Some(message));
    }
    // The gate does not rely on the other end for the spelling of a name.
    assert_eq!(words("connect API.Example.COM. 443"), words("connect api.example.com 443"));
    for odd in [
        "",
        "connect",
        "connect a.example.com",
        "connect a.example.com 0",
        "connect a.example.com 99999",
        "connect  a.example.com 1",
        "connect a.example.com 1 2",
        "connect 0x7f.1 80",
        "proxy x",
        "lookup 127.0.0.1",
        "lookup",
        "shutdown",
        "connect a\nb 1",
    ] {
        assert_eq!(words(odd), None, "{odd:?}");
    }
}

#[tokio::test]
async fn a_connection_comes_with_its_message_and_the_end_is_the_end() {
    let (gate, inside) = link_pair().unwrap();
    let gate = LinkReceiver::new(gate).unwrap();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    send(inside.as_fd(), &LinkMessage::Proxy, Some(ours.as_fd())).unwrap();
    let lookup = LinkMessage::Lookup(HostName::parse("a.example.com").unwrap());
    send(inside.as_fd(), &lookup, None).unwrap();
    let (message, connection) = gate.receive().await.unwrap().unwrap();
    assert!(message == LinkMessage::Proxy && connection.is_some());
    let (message, connection) = gate.receive().await.unwrap().unwrap();
    assert!(message == lookup && connection.is_none());
    drop(inside);
    assert_eq!(gate.receive().await.unwrap().map(|(message, _)| message), None);
}

#[tokio::test]
async fn nonsense_and_too_many_descriptors_end_the_link() {
    for count in [2, 4, 9] {
        let (gate, inside) = link_pair().unwrap();
        let gate = LinkReceiver::new(gate).unwrap();
        let numbers = vec![inside.as_raw_fd(); count];
        let rights = [ControlMessage::ScmRights(&numbers)];
        let bytes = [IoSlice::new(b"proxy")];
        sendmsg::<()>(inside.as_raw_fd(), &bytes, &rights, MsgFlags::empty(), None).unwrap();
        assert!(gate.receive().await.is_err(), "{count}");
    }
    for nonsense in [&b"GET / HTTP/1.1"[..], &[0xff; 600]] {
        let (gate, inside) = link_pair().unwrap();
        let gate = LinkReceiver::new(gate).unwrap();
        send_bytes(inside.as_raw_fd(), nonsense, MsgFlags::empty()).unwrap();
        assert!(gate.receive().await.is_err());
    }
}
