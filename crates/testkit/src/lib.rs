//! Scripted servers, clients and listeners for tests, on any transport and in either era.
//!
//! Never a dependency of anything that ships. A [`Script`] is plain data, so the same one plays over
//! a pipe inside the test and in a process of its own. It reads messages without `toolgate-wire`:
//! a mistake there must not be made twice and cancel out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test kit")]

pub mod agents;
mod answering;
mod certificates;
pub mod everything;
pub mod foreign;
mod identity;
pub mod issuer;
mod peak_memory;
pub mod peer;
pub mod process;
mod recorder;
pub mod script;
mod tokens;
pub mod web;

pub use answering::Answering;
pub use certificates::{CertificateAuthority, Certified};
pub use identity::{IdentityFaults, IdentityProvider, IdentityVisit};
pub use issuer::{IssuerSite, IssuerVisit, SigningKey};
pub use peak_memory::peak_memory;
pub use peer::Peer;
pub use recorder::{Recorded, Recorder};
pub use script::{Act, Script};
pub use tokens::Tokens;
pub use web::{Site, Visit};
