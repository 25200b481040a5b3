//! The reaper as a program of its own, for embedders that cannot call `init()` first in `main`.
//!
//! Started by hand it does nothing.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolgate_sandbox::init();
    ExitCode::from(64)
}
