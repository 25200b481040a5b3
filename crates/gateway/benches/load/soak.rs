//! The soak: many clients that all count from 0, many sessions, and clients that do not read.
//!
//! What fails is an answer or a report that came to the wrong place, a session that is kept beyond
//! its limit or lost below it, and memory beyond the budget. Times are only told.

mod day;
mod reloads;
mod routing;
mod sessions;
mod slow;

use crate::{Failure, Run};

/// The page.
pub(crate) fn run(run: &Run) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let routed = routing::run(run, &runtime)?;
    let kept = sessions::run(run, &runtime)?;
    let unread = slow::run(run, &runtime)?;
    let reloaded = reloads::run(run)?;
    let day = day::run(run)?;
    Ok(format!("{routed}\n{kept}\n{unread}\n{reloaded}\n{day}"))
}
