//! What this gateway says of itself in results.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolgate_wire::meta;

/// What this gateway says of itself.
pub(crate) static SERVER_INFO: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    raw(format!(r#"{{"name":"toolgate","title":"Toolgate","version":"{version}"}}"#))
});

/// The `_meta` of a result that has none of its own.
pub(super) static ONLY_SERVER_INFO: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let (key, info) = (meta::SERVER_INFO, &**SERVER_INFO);
    raw(format!(r#"{{"{key}":{info}}}"#))
});

/// JSON that is written in this program.
pub(crate) fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
