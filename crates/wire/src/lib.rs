//! MCP on the wire, in both protocol eras: envelopes with raw payloads, framing, SSE, header rules.
//!
//! Sans-I/O: it will turn bytes into messages and messages into bytes, and open nothing. It never
//! interprets what a tool takes or returns; payloads pass through as the bytes they came in.
//! The codec itself is work to come; nothing here pretends to be it.
