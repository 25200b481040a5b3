//! Walls of the program that embeds this crate, in the place of ours.

use std::fmt;

use toolgate_types::config::Confinement;

use crate::Description;

/// Who decides behind which walls a process is started: a program that has walls of its own keeps them.
pub trait EmbeddersWalls: Send + Sync + fmt::Debug {
    /// Asked before each start, with what the entry says of its confinement. An error is told to the person;
    /// nothing is started then.
    fn enclose(&self, asked: &Description, confinement: &Confinement) -> Result<Enclosed, String>;
}

/// How a process is started.
#[derive(Debug, Clone)]
pub enum Enclosed {
    /// As the entry says, behind walls of ours.
    AsAsked,
    /// As described here, which brings walls of its own: none of ours is built. It is looked after as any
    /// other, and ends with us.
    By(Box<Description>),
}
