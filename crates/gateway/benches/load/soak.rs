//! The soak: many clients that all count from 0, many sessions, clients that do not read; and of the
//! daemon a crowd of windows, windows that left, changes of its configuration under load, and a day of
//! use.
//!
//! What fails is an answer or a report that came to the wrong place, a session that is kept beyond
//! its limit or lost below it, a call that a reload dropped, a second daemon, a process that is left,
//! a folder that is watched for nobody, and memory beyond the budget. Times are only told.

mod crowd;
mod day;
mod left;
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
    let crowd = crowd::run(run)?;
    let left = left::run(run)?;
    let reloaded = reloads::run(run)?;
    let day = day::run(run)?;
    Ok(format!("{routed}\n{kept}\n{unread}\n{crowd}\n{left}\n{reloaded}\n{day}"))
}
