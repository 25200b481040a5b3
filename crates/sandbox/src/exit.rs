//! How a program ended. What that means for a call is for others to say.

use std::fmt;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramExit {
    Code(i32),
    /// Ended by the signal of this number.
    Signal(i32),
    /// It is gone, and whoever knew how is gone too.
    Lost,
}

impl ProgramExit {
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

/// What a tree used too much of, and was killed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedLimit {
    Processes = 0,
    Memory = 1,
    /// One file, by the kernel.
    FileSize = 2,
    /// One process, by the kernel.
    CpuTime = 3,
}

impl PassedLimit {
    /// The limit that the kernel itself ends a confined program for.
    pub fn of_exit(exit: ProgramExit) -> Option<Self> {
        match exit {
            ProgramExit::Signal(nix::libc::SIGXFSZ) => Some(Self::FileSize),
            ProgramExit::Signal(nix::libc::SIGXCPU) => Some(Self::CpuTime),
            _ => None,
        }
    }

    /// What says how much it may be, below `resources` of an entry.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Memory => "memory_bytes",
            Self::FileSize => "file_bytes",
            Self::CpuTime => "cpu_seconds",
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn of(number: i32) -> Option<Self> {
        let all = [Self::Processes, Self::Memory, Self::FileSize, Self::CpuTime];
        all.into_iter().find(|limit| *limit as i32 == number)
    }
}

impl fmt::Display for ProgramExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => write!(f, "was ended by {signal}"),
                Err(_) => write!(f, "was ended by signal {number}"),
            },
            Self::Lost => f.write_str("ended in a way nobody saw"),
        }
    }
}
