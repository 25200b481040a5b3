//! What must hold for any bytes at all: shared by the fuzz targets, which look for inputs that break
//! it, and by the tests, which replay the inputs worth keeping.
//!
//! Each function panics if the wire contradicts itself or `serde_json`.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use toolgate_wire::header::{
    AcceptedMedia, HeaderField, HeaderSessionId, ParamHeaders, check_headers, decode_value,
    encode_value, request_headers,
};
use toolgate_wire::line::{DecodedLine, LineDecoder, end_line};
use toolgate_wire::meta::RequestMeta;
use toolgate_wire::outcome::ResultKind;
use toolgate_wire::sse::{SseDecoder, SseEvent, SseItem, write_event};
use toolgate_wire::{
    IncomingMessages, JsonError, ListMethod, ListPage, Message, MessageIdBuf, MessageLimits,
    ObjectSplice, Payload, ProtocolRevision, RejectReason, Request, RequestTarget, ResponseOutcome,
    SpliceValue, peek_id, write_request,
};

/// A line, or the head of one that was too long.
pub(crate) type SeenLine = Result<Vec<u8>, Vec<u8>>;
/// Name, id and data of an event; `None` for one that was too large.
pub(crate) type SeenEvent = Option<(String, Option<String>, Vec<u8>)>;

/// The first four bytes choose the cap and the cuts, the rest is the stream.
pub(crate) fn line_framer(data: &[u8]) {
    let (cap, cuts, stream) = plan(data);
    let whole = lines_of(stream, &[usize::MAX], cap);
    assert_eq!(lines_of(stream, &cuts, cap), whole);
    for line in whole {
        match line {
            Ok(line) => assert!(line.len() <= cap && !line.contains(&b'\n')),
            Err(head) => assert!(head.len() <= cap),
        }
    }
}

/// As for lines, and every event that can be written is read back.
pub(crate) fn sse_decoder(data: &[u8]) {
    let (cap, cuts, stream) = plan(data);
    let whole = events_of(stream, &[usize::MAX], cap);
    assert_eq!(events_of(stream, &cuts, cap), whole);
    for (name, id, data) in whole.0.into_iter().flatten() {
        let mut out = Vec::new();
        let event = SseEvent { name: &name, data: &data, id: id.as_deref() };
        if write_event(&mut out, &event, None).is_ok() {
            let again = events_of(&out, &[usize::MAX], usize::MAX);
            assert_eq!(again.0, [Some((name, id, data))]);
        }
    }
}

/// One message or batch: agrees with `serde_json` on what is JSON, and passes payloads on unchanged.
pub(crate) fn envelope(data: &[u8]) {
    let _ = peek_id(data);
    let is_json = serde_json::from_slice::<IgnoredAny>(data).is_ok();
    match IncomingMessages::parse(data, ProtocolRevision::V2025_03_26, &MessageLimits::DEFAULT) {
        Ok(IncomingMessages::One(message)) => {
            assert!(is_json);
            written_again(&message);
        }
        Ok(IncomingMessages::Batch(messages)) => {
            assert!(is_json);
            messages.iter().flatten().for_each(written_again);
        }
        Err(rejected) => match rejected.reason {
            RejectReason::Json(JsonError::Syntax { .. }) => assert!(!is_json),
            RejectReason::Json(_) => assert!(is_json),
            _ => {}
        },
    }
}

/// Three lines: a name, an input schema and the arguments of a call. What a client sends, a server
/// accepts, and nothing that is fed to the readers makes them stumble.
pub(crate) fn headers(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut next = || lines.next().unwrap_or_default();
    let (name, schema, arguments) = (next(), next(), next());
    let _ = (HeaderSessionId::parse(name), AcceptedMedia::parse([name]));
    if let Ok(said) = decode_value(name) {
        assert_eq!(decode_value(encode_value(&said).as_bytes()).as_deref(), Ok(&*said));
    }
    let raw = |bytes| serde_json::from_slice::<&RawValue>(bytes).ok();
    let annotated = raw(schema).and_then(|schema| ParamHeaders::from_schema(schema).ok());
    let annotated = annotated.unwrap_or_default();
    let mut params = ObjectSplice::new();
    params.set("name", SpliceValue::text(String::from_utf8_lossy(name)));
    if let Some(arguments) = raw(arguments) {
        params.set("arguments", SpliceValue::Raw(arguments));
    }
    let meta = params.within("_meta").expect("a new object");
    meta.set("io.modelcontextprotocol/protocolVersion", SpliceValue::text("2026-07-28"));
    let mut body = Vec::new();
    write_request(&mut body, 1.into(), "tools/call", Some(&params));
    let Ok(message) = Message::parse(&body, &MessageLimits::DEFAULT) else { return };
    let Ok(sent) = request_headers(&message, ProtocolRevision::V2026_07_28, &annotated) else {
        return;
    };
    let sent: Vec<_> = sent.iter().map(|header| (&*header.name, header.value.as_bytes())).collect();
    let checked = check_headers(|name| HeaderField::among(&sent, name), &message, &annotated);
    assert_eq!(checked, Ok(()));
}

fn plan(data: &[u8]) -> (usize, Vec<usize>, &[u8]) {
    let (head, stream) = data.split_at(data.len().min(4));
    let cap = head.first().map_or(16, |byte| usize::from(*byte));
    let cuts = head.iter().skip(1).map(|byte| usize::from(*byte % 16) + 1);
    (cap, cuts.chain([3]).collect(), stream)
}

/// The stream in pieces, whose sizes come round and round.
fn pieces<'s>(mut stream: &'s [u8], sizes: &'s [usize]) -> impl Iterator<Item = &'s [u8]> {
    sizes.iter().cycle().map_while(move |size| {
        let (piece, rest) = stream.split_at((*size).min(stream.len()));
        stream = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

pub(crate) fn lines_of(stream: &[u8], sizes: &[usize], longest: usize) -> Vec<SeenLine> {
    let mut decoder = LineDecoder::new(longest);
    let mut seen = Vec::new();
    let keep = |line: DecodedLine<'_>| match line {
        DecodedLine::Whole(line) => Ok(line.to_vec()),
        DecodedLine::TooLong { head } => Err(head.to_vec()),
        DecodedLine::Part(part) => Err(part.to_vec()),
        DecodedLine::PartsEnd => Err(Vec::new()),
    };
    for mut piece in pieces(stream, sizes) {
        while let Some(line) = decoder.next(&mut piece) {
            seen.push(keep(line));
        }
    }
    seen.extend(decoder.finish().map(keep));
    seen
}

/// The events, and what the decoder remembers at the end.
pub(crate) fn events_of(
    stream: &[u8],
    sizes: &[usize],
    largest: usize,
) -> (Vec<SeenEvent>, Option<String>, Option<u64>) {
    let mut decoder = SseDecoder::new(largest);
    let mut seen = Vec::new();
    for mut piece in pieces(stream, sizes) {
        while let Some(item) = decoder.next(&mut piece) {
            seen.push(match item {
                SseItem::TooLarge | SseItem::Part(_) | SseItem::PartsEnd => None,
                SseItem::Event(SseEvent { name, data, id }) => {
                    Some((name.to_owned(), id.map(str::to_owned), data.to_vec()))
                }
            });
        }
    }
    (seen, decoder.last_event_id().map(str::to_owned), decoder.retry_ms())
}

/// Writes the message under another id, reads that, and finds the same payload.
fn written_again(message: &Message<'_>) {
    let mut out = Vec::new();
    if message.write(&mut out, 7.into()).is_err() {
        return;
    }
    let again = Message::parse(&out, &MessageLimits::DEFAULT).expect("what we write, we read");
    assert_eq!((payload(&again), again.kind()), (payload(message), message.kind()));
    let mut line = out.clone();
    end_line(&mut line, 0);
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
    assert!(Message::parse(&line, &MessageLimits::DEFAULT).is_ok());
    match message {
        Message::Request(request) => routed(request),
        Message::Response(response) => {
            if let ResponseOutcome::Result(result) = &response.outcome {
                let _ = ResultKind::of(result);
                for kind in ListMethod::ALL {
                    let _ = ListPage::parse(kind, result.raw());
                }
            }
        }
        Message::Notification(_) => {}
    }
}

fn payload<'m>(message: &'m Message<'_>) -> Option<&'m str> {
    match message {
        Message::Request(request) => request.params.as_ref().map(|params| params.raw().get()),
        Message::Notification(note) => note.params.as_ref().map(|params| params.raw().get()),
        Message::Response(response) => match &response.outcome {
            ResponseOutcome::Result(result) => Some(result.raw().get()),
            ResponseOutcome::Error(error) => Some(error.raw.get()),
            ResponseOutcome::Flawed { raw, .. } => Some(raw.get()),
        },
    }
}

/// Another name and another progress token leave every other member as it was.
fn routed(request: &Request<'_>) {
    let _ = (RequestTarget::of(request), request.era(), RequestMeta::of(request.params.as_ref()));
    assert_eq!(request.id.to_buf(), MessageIdBuf::from(request.id));
    let Some(params) = &request.params else { return };
    let mut splice = ObjectSplice::of(params);
    splice.set("name", SpliceValue::text("other"));
    let has_meta = splice
        .within("_meta")
        .map(|meta| meta.set("progressToken", SpliceValue::number(7)))
        .is_ok();
    let mut out = Vec::new();
    splice.write(&mut out);
    let raw: &RawValue = serde_json::from_slice(&out).expect("a splice is JSON");
    let edited = toolgate_wire::RawObject::parse(raw).expect("and an object without repeated keys");
    assert_eq!(edited.text("name").as_deref(), Some("other"));
    for member in params.members() {
        let is_edited = member.is("name") || (member.is("_meta") && has_meta);
        if let (false, Some(key)) = (is_edited, member.key()) {
            assert_eq!(edited.get(&key).map(RawValue::get), Some(member.value().get()));
        }
    }
}
