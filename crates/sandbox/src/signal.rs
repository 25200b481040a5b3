//! The signals that a caller may send to a running program.
//!
//! Ending a tree for good is [`crate::Child::shutdown`], or dropping the child.

use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Hangup,
    Interrupt,
    Terminate,
    Kill,
}

impl From<Signal> for nix::sys::signal::Signal {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Hangup => Self::SIGHUP,
            Signal::Interrupt => Self::SIGINT,
            Signal::Terminate => Self::SIGTERM,
            Signal::Kill => Self::SIGKILL,
        }
    }
}

/// Why a signal was not sent. Nobody is at fault: what it was for has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the process and all it started have ended")]
pub struct SignalError;
