//! What `_meta` says, and that nothing else in it is lost.

use super::*;

fn params(json: &str) -> RawObject<'_> {
    RawObject::parse(serde_json::from_str(json).unwrap()).unwrap()
}

#[test]
fn every_reserved_key_is_read() {
    let params = params(
        r#"{"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},
            "io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},
            "io.modelcontextprotocol/logLevel":"warning",
            "io.modelcontextprotocol/subscriptionId":"s",
            "progressToken":1.0,
            "traceparent":"00-a-b-01","tracestate":"v=1","baggage":"k=v",
            "com.example/own":[1.0]
        }}"#,
    );
    let meta = RequestMeta::of(Some(&params)).unwrap();
    assert_eq!(meta.protocol_version.as_deref(), Some("2026-07-28"));
    assert_eq!(meta.client_info.map(RawValue::get), Some(r#"{"name":"x","version":"1"}"#));
    assert_eq!(meta.log_level, Some(LogLevel::Warning));
    assert_eq!(meta.progress_token.map(|token| token.to_string()).as_deref(), Some("1.0"));
    assert_eq!(meta.subscription_id.and_then(|id| id.as_text()).as_deref(), Some("s"));
    assert_eq!(meta.traceparent.as_deref(), Some("00-a-b-01"));
    assert_eq!((meta.tracestate.as_deref(), meta.baggage.as_deref()), (Some("v=1"), Some("k=v")));
    let modern = meta.modern().unwrap();
    assert_eq!(modern.protocol_version, "2026-07-28");
    assert!(modern.client_capabilities.get("elicitation").is_some());
    let all = meta.object.unwrap();
    assert_eq!(all.get("com.example/own").map(RawValue::get), Some("[1.0]"));
}

#[test]
fn no_meta_says_nothing() {
    for params in [None, Some(params("{}")), Some(params(r#"{"_meta":null}"#))] {
        let meta = RequestMeta::of(params.as_ref()).unwrap();
        assert!(meta.protocol_version.is_none() && meta.progress_token.is_none());
        assert_eq!(meta.modern().unwrap_err(), MetaError::Missing { key: PROTOCOL_VERSION });
    }
}

#[test]
fn a_modern_request_must_declare_its_capabilities() {
    let without = params(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
    let missing = RequestMeta::of(Some(&without)).unwrap().modern().unwrap_err();
    assert_eq!(missing, MetaError::Missing { key: CLIENT_CAPABILITIES });
    let wrong = params(
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}}"#,
    );
    let wrong = RequestMeta::of(Some(&wrong)).unwrap().modern().unwrap_err();
    assert_eq!(wrong, MetaError::WrongType { key: CLIENT_CAPABILITIES });
}

#[test]
fn values_of_the_wrong_type_are_named() {
    let wrong = |json: &str| RequestMeta::of(Some(&params(json))).map(drop).unwrap_err();
    assert_eq!(wrong(r#"{"_meta":[]}"#), MetaError::Object(ObjectError::NotAnObject));
    assert_eq!(
        wrong(r#"{"_meta":{"progressToken":{}}}"#),
        MetaError::WrongType { key: PROGRESS_TOKEN }
    );
    let level = r#"{"_meta":{"io.modelcontextprotocol/logLevel":"loud"}}"#;
    assert_eq!(wrong(level), MetaError::WrongType { key: LOG_LEVEL });
}

#[test]
fn levels_are_ordered_by_severity() {
    assert!(LogLevel::ALL.is_sorted_by_key(|(level, _)| *level));
    for (level, name) in LogLevel::ALL {
        assert_eq!((name.parse(), level.as_str()), (Ok(level), name));
    }
}
