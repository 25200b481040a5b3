//! Requests carried out, the same way for both eras.

mod carrying;
mod completing;
mod greeting;
mod lists;
mod page;

pub(crate) use carrying::Seat;
pub(crate) use greeting::{CAPABILITIES, instructions};
pub(crate) use lists::Lists;
