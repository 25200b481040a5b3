//! The official Rust SDK on the other side: a server and a client that share no code with ours.
//!
//! Nothing of the SDK shows outside: its crate has its place in this one only.

mod client;
mod person;
mod server;

pub use client::Client;
pub use person::{Filled, WithPerson};
pub use server::{Eras, Serving, serve, stdio};
