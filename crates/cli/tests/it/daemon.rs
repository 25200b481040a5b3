//! The daemon behind `toolgate stdio`: one pool for all windows, contexts that never mix, changes of
//! the configuration while it runs, and every way to end.

mod alone;
mod contexts;
mod ending;
mod endpoint;
mod first_lists;
pub(crate) mod house;
mod left;
mod parked;
mod pool;
mod quiet;
mod refusing;
mod reloading;
mod unread;
