//! Starts a process, confined or not.
//!
//! The only crate that may spawn a process and the only one that may use `unsafe`; a tidy check
//! holds both. It does not decide whether something may run: the guard does.
//! Spawning is work to come; until then nothing in Toolgate starts a process.
