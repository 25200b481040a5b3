//! What a panic says of its cause, as far as anybody may read it.
//!
//! A text that was put together at run time may hold a secret: a string that is cut where it cannot be is
//! repeated in the panic, and so is an error that nobody expected. Only words that stand in the program are
//! shown; the place, which is always told, says the rest.

use std::any::Any;

const UNTOLD: &str = "(what it said is not shown: it may repeat a secret)";

pub(crate) fn panic_words(payload: &(dyn Any + Send)) -> &'static str {
    payload.downcast_ref::<&'static str>().copied().unwrap_or(UNTOLD)
}

#[cfg(test)]
mod tests;
