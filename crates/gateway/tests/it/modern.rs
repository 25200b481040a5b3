//! The modern era: requests that stand for themselves.
//!
//! `caller` is the client that these tests share.

mod caller;
mod eras;
mod listening;
mod parking;
mod refusing;
mod results;
mod rounds;
mod streaming;
mod tasks;

pub(crate) use caller::{Caller, VERSION};
