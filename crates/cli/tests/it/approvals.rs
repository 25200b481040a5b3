//! Calls that wait for a person: how they are shown and answered, who may answer, and what is left of
//! it.

mod answering;
pub(crate) mod asking;
mod at_terminal;
mod commands;
pub(crate) mod desktop;
mod lasting;
mod racing;
mod refusing;
mod watching;
