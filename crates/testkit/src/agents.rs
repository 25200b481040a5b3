//! Scripted clients that behave on the wire as real agents do, over lines or over HTTP.
//!
//! Seen of Claude Code 2.1 and Codex 0.166: which handshake they try, what they say they can do, what
//! they put into `_meta`, when they list again and how they leave. They read messages without
//! `toolgate-wire`, as the scripted servers do.

mod claude;
mod codex;
mod link;
mod talk;
mod web;

pub use claude::ClaudeLike;
pub use codex::CodexLike;
pub use link::Link;
