//! The first-party suite: `repo`, `docs` and `workflow` as typed MCP servers in process.
//!
//! They are reached on the same path as any other server and hold no privilege of their own.
//! Work to come.
