//! Any payload goes through a message unchanged, and no bytes at all make the readers stumble.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;
use toolgate_wire::{
    ListMethod, ListPage, Message, MessageLimits, ResponseOutcome, write_notification,
    write_request, write_result,
};

use crate::{fuzzed, json_text};

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

proptest! {
    #[test]
    fn params_survive_every_byte(params in json_text::object(), id in 0..u64::MAX, method in any::<String>()) {
        let mut out = Vec::new();
        write_request(&mut out, id.into(), &method, Some(raw(&params)));
        let Ok(Message::Request(request)) = Message::parse(&out, &MessageLimits::DEFAULT) else {
            return Err(TestCaseError::fail("not a request"));
        };
        prop_assert_eq!(request.id.as_u64(), Some(id));
        prop_assert_eq!(&*request.method, method);
        prop_assert_eq!(request.params.unwrap().raw().get(), params.trim());
        let mut out = Vec::new();
        write_notification(&mut out, "note", Some(raw(&params)));
        let Ok(Message::Notification(note)) = Message::parse(&out, &MessageLimits::DEFAULT) else {
            return Err(TestCaseError::fail("not a notification"));
        };
        prop_assert_eq!(note.params.unwrap().raw().get(), params.trim());
    }

    #[test]
    fn results_survive_every_byte(result in json_text::value()) {
        let mut out = Vec::new();
        write_result(&mut out, 1.into(), raw(&result));
        let Ok(Message::Response(response)) = Message::parse(&out, &MessageLimits::DEFAULT) else {
            return Err(TestCaseError::fail("not a response"));
        };
        let ResponseOutcome::Result(read) = response.outcome else {
            return Err(TestCaseError::fail("not a result"));
        };
        prop_assert_eq!(read.raw().get(), result);
    }

    /// Items survive beside odd ones, in their order.
    #[test]
    fn items_of_a_list_survive_every_byte(items in vec(json_text::members(), 0..4)) {
        let mut kept = Vec::new();
        let mut listed = Vec::new();
        for (n, mut members) in items.into_iter().enumerate() {
            members.insert(n % (members.len() + 1), ("name".to_owned(), format!("\"tool {n}\"")));
            let item = json_text::object_text(&members, " ");
            listed.push(item.clone());
            kept.push(item);
            listed.push(r#"{"name":1}"#.to_owned());
        }
        let result = format!("{{\"tools\":[{}]}}", listed.join(","));
        let page = ListPage::parse(ListMethod::Tools, raw(&result)).unwrap();
        prop_assert_eq!(page.set_aside.len(), kept.len());
        let read: Vec<&str> = page.items.iter().map(|item| item.raw().get()).collect();
        prop_assert_eq!(read, kept);
    }

    #[test]
    fn no_bytes_make_the_readers_stumble(bytes in vec(any::<u8>(), 0..300)) {
        fuzzed::envelope(&bytes);
        fuzzed::line_framer(&bytes);
        fuzzed::sse_decoder(&bytes);
        fuzzed::headers(&bytes);
    }

    /// Random bytes rarely look like JSON; a message with a wound does.
    #[test]
    fn no_wound_in_a_message_makes_the_readers_stumble(
        params in json_text::object(), at in any::<prop::sample::Index>(), byte in any::<u8>(), keep in any::<bool>(),
    ) {
        let mut message = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{params}}}").into_bytes();
        let at = at.index(message.len());
        if keep { message[at] = byte } else { message.truncate(at) }
        fuzzed::envelope(&message);
    }
}
