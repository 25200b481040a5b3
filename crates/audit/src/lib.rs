//! What happened: one record per call.
//!
//! A record that is dropped unfinished says "aborted". For now it tells a listener; it will be
//! appended, searched and verified. It keeps no SQL of its own (that is `toolgate-store`) and never
//! holds a secret in clear.

mod record;

pub use record::Record;
