//! Decides (purely) whether something may be done for a caller, and makes the proof that it may.
//!
//! [`Permitted`] is made here and nowhere else; whoever carries something out takes nothing but
//! that. It runs nothing itself. There is no policy yet: a guard refuses everything, unless it was
//! built with [`AllowEverything`], which only tests and one flag of the command line can make.

mod decision;
mod filter;
mod permitted;

pub use decision::{AllowEverything, Decision, Guard, Refusal, Subject};
pub use filter::admits;
pub use permitted::Permitted;
