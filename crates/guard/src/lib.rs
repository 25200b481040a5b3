//! Decides (purely) whether a call may run, and asks a person when it must.
//!
//! The only place that will be able to make a permitted call; it runs nothing itself.
//! Work to come.
