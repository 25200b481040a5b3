//! The transports: local process, in process, Streamable HTTP, legacy HTTP with SSE.

pub(crate) mod duplex;
pub(crate) mod exchange;
pub(crate) mod in_process;
pub(crate) mod legacy_sse;
pub(crate) mod lines;
mod message_headers;
pub(crate) mod stdio;
pub(crate) mod streamable;
