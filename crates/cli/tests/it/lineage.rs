//! An agent must not approve itself: what a program that it started may not do, how that program is
//! known, and who is not mistaken for one.

pub(crate) mod agent;
mod behind;
mod hiding;
pub(crate) mod http_agent;
mod over_http;
mod own_channel;
mod refusing;
