//! The URI of a resource: the ways to spell one, and the address of one server's.
//!
//! A server says what its URIs mean and how it reads them; most decode, join and clean them up before
//! they open anything. So what is denied is looked for in all spellings that such a server may take
//! for one, and what is allowed must be allowed in each. Which lists there are is the guard's.

mod decode;
mod normal;
mod of_server;
mod spellings;
mod web_address;

pub use decode::decode_fully;
pub use of_server::{is_gate_uri, split_uri_of_server, uri_of_server};
pub use spellings::{
    allow_pattern_spellings, allowed_spellings, denied_spellings, deny_pattern_spellings, uri_key,
};

pub use web_address::WebAddress;

#[cfg(test)]
mod tests;
