//! What a client sends beside a message and what a server checks, from sample files that read like
//! the requests themselves.
//!
//! In `samples/headers/sent`, the headers that follow from the body; `schema` is the input schema of
//! the tool. In `samples/headers/checked`, headers as they arrive and the verdict.

use proptest::prelude::*;
use serde_json::value::RawValue;
use toolgate_wire::header::{
    HeaderField, HeaderMismatch, ParamError, ParamHeaders, Unsendable, check_headers, decode_value,
    encode_value, request_headers,
};
use toolgate_wire::{Message, MessageLimits, ProtocolRevision};

/// One request of a sample file.
#[derive(Debug, Default)]
struct Sample<'s> {
    title: &'s str,
    revision: Option<ProtocolRevision>,
    schema: Option<&'s RawValue>,
    headers: Vec<(String, Vec<u8>)>,
    verdict: &'s str,
    body: &'s str,
}

impl<'s> Sample<'s> {
    /// Samples are parted by blank lines and open with their title.
    fn read_all(file: &'s str) -> Vec<Self> {
        file.split("\n\n").filter(|text| !text.trim().is_empty()).map(Self::read).collect()
    }

    fn read(text: &'s str) -> Self {
        let mut sample = Self::default();
        for line in text.trim().lines() {
            match line.split_once(' ') {
                Some(("#", title)) => sample.title = title,
                Some(("revision", revision)) => sample.revision = revision.parse().ok(),
                Some(("schema", schema)) => sample.schema = serde_json::from_str(schema).ok(),
                Some(("verdict", verdict)) => sample.verdict = verdict,
                Some(("body", body)) => sample.body = body,
                _ => {
                    let (name, value) = line.split_once(':').expect(line);
                    let value = value.strip_prefix(' ').unwrap_or(value);
                    // Written so that an editor does not eat it.
                    let value = value.replace("<space>", " ").replace("<tab>", "\t");
                    sample.headers.push((name.to_owned(), value.into_bytes()));
                }
            }
        }
        sample
    }

    fn annotated(&self) -> ParamHeaders {
        self.schema.map_or(ParamHeaders::NONE, |schema| ParamHeaders::from_schema(schema).unwrap())
    }

    fn message(&self) -> Message<'s> {
        Message::parse(self.body.as_bytes(), &MessageLimits::DEFAULT).expect(self.title)
    }

    fn checked(&self) -> Result<(), HeaderMismatch> {
        let field = |name: &str| HeaderField::among(&self.headers, name);
        check_headers(field, &self.message(), &self.annotated())
    }
}

#[test]
fn a_client_sends_what_follows_from_the_body() {
    let samples = Sample::read_all(include_str!("samples/headers/sent.txt"));
    assert!(samples.len() > 8);
    for sample in samples {
        let (message, annotated) = (sample.message(), sample.annotated());
        let revision = sample.revision.unwrap_or(ProtocolRevision::NEWEST);
        let sent: Vec<(String, Vec<u8>)> = request_headers(&message, revision, &annotated)
            .unwrap()
            .into_iter()
            .map(|header| (header.name.into_owned(), header.value.into_owned().into_bytes()))
            .collect();
        assert_eq!(sent, sample.headers, "{}", sample.title);
        if revision == ProtocolRevision::NEWEST {
            assert_eq!(sample.checked(), Ok(()), "{}", sample.title);
        }
    }
}

#[test]
fn a_server_refuses_what_does_not_match() {
    let samples = Sample::read_all(include_str!("samples/headers/checked.txt"));
    assert!(samples.len() > 15);
    for sample in samples {
        let verdict = match sample.checked() {
            Ok(()) => "fine".to_owned(),
            Err(HeaderMismatch::Missing { header }) => format!("missing {header}"),
            Err(HeaderMismatch::Repeated { header }) => format!("repeated {header}"),
            Err(HeaderMismatch::Malformed { header }) => format!("malformed {header}"),
            Err(HeaderMismatch::Differs { header }) => format!("differs {header}"),
        };
        assert_eq!(verdict, sample.verdict, "{}", sample.title);
    }
}

#[test]
fn what_no_header_can_carry_is_not_sent() {
    let schema = r#"{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}"#;
    let annotated = ParamHeaders::from_schema(serde_json::from_str(schema).unwrap()).unwrap();
    let sent = |method: &str, arguments: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"a","arguments":{arguments}}}}}"#
        );
        let message = Message::parse(body.as_bytes(), &MessageLimits::DEFAULT).unwrap();
        request_headers(&message, ProtocolRevision::NEWEST, &annotated).map(drop)
    };
    let header = || "Mcp-Param-N".to_owned();
    assert_eq!(sent("tools/call", r#"{"n":9007199254740991}"#), Ok(()));
    let unsafe_integer = Unsendable::Param(ParamError::UnsafeInteger { header: header() });
    assert_eq!(sent("tools/call", r#"{"n":9007199254740992}"#), Err(unsafe_integer));
    let not_primitive = || Unsendable::Param(ParamError::NotPrimitive { header: header() });
    assert_eq!(sent("tools/call", r#"{"n":1.5}"#), Err(not_primitive()));
    assert_eq!(sent("tools/call", r#"{"n":[1]}"#), Err(not_primitive()));
    assert_eq!(sent("tools/cäll", "{}"), Err(Unsendable::Method));
    assert_eq!(sent("tools/call\\nX: y", "{}"), Err(Unsendable::Method));
}

proptest! {
    #[test]
    fn every_text_survives_a_header(text in any::<String>()) {
        let value = encode_value(&text);
        prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        prop_assert_eq!(value.trim(), &*value);
        let said = decode_value(value.as_bytes());
        prop_assert_eq!(said.as_deref(), Ok(&*text));
    }

    #[test]
    fn every_text_that_looks_encoded_survives_too(text in "=\\?base64\\?[A-Za-z0-9=?]{0,12}(\\?=)?") {
        let value = encode_value(&text);
        let said = decode_value(value.as_bytes());
        prop_assert_eq!(said.as_deref(), Ok(&*text));
    }
}
