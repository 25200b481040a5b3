//! What a reaper and its parent say to each other, as bytes.
//!
//! The parent sends one plan with three descriptors, then orders of one byte each; the reaper sends
//! reports of eight bytes each. Both are the same build of this crate, so there is one version and
//! no negotiation. Sending and receiving is done elsewhere.

use std::ffi::{CString, OsStr, OsString};

use nix::sys::signal::Signal;

use crate::ProgramExit;
use crate::plan::SpawnPlan;

/// The arguments of a reaper. The second keeps a person's `__reap` from being taken for ours, and a
/// helper of another version from answering.
pub(crate) const ARGS: [&str; 2] = ["__reap", "toolgate-reap/1"];

/// The arguments of the one that lets a program go, for the same reasons.
pub(crate) const DETACH_ARGS: [&str; 2] = ["__detach", "toolgate-detach/1"];

pub(crate) fn is_reaper(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(ARGS.map(OsStr::new))
}

pub(crate) fn is_detacher(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(DETACH_ARGS.map(OsStr::new))
}

/// A word of the parent. That the parent is gone needs no word: the socket closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReaperOrder {
    /// Send this signal on.
    Signal(Signal),
    /// Kill everything now.
    Kill,
}

impl ReaperOrder {
    pub(crate) fn to_byte(self) -> u8 {
        match self {
            // Signals are numbered from 1 to 31.
            Self::Signal(signal) => signal as u8,
            Self::Kill => 0,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Kill),
            number => Signal::try_from(i32::from(number)).ok().map(Self::Signal),
        }
    }
}

/// What was being done when starting failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartStage {
    Prepare = 0,
    Folder = 1,
    Execute = 2,
}

/// A word of the reaper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReaperReport {
    Hello,
    Started(i32),
    Failed(StartStage, i32),
    Ended(ProgramExit),
}

impl ReaperReport {
    pub(crate) const SIZE: usize = 8;

    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let (kind, stage, value) = match self {
            Self::Hello => (b'h', 0, 0),
            Self::Started(pid) => (b's', 0, pid),
            Self::Failed(stage, errno) => (b'f', stage as u8, errno),
            Self::Ended(ProgramExit::Code(code)) => (b'c', 0, code),
            Self::Ended(ProgramExit::Signal(signal)) => (b'k', 0, signal),
            Self::Ended(ProgramExit::Lost) => (b'l', 0, 0),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [kind, stage, 0, 0, a, b, c, d]
    }

    pub(crate) fn from_bytes([kind, stage, _, _, a, b, c, d]: [u8; Self::SIZE]) -> Option<Self> {
        let value = i32::from_le_bytes([a, b, c, d]);
        let stage =
            [StartStage::Prepare, StartStage::Folder, StartStage::Execute].get(usize::from(stage));
        Some(match kind {
            b'h' => Self::Hello,
            b's' => Self::Started(value),
            b'f' => Self::Failed(*stage?, value),
            b'c' => Self::Ended(ProgramExit::Code(value)),
            b'k' => Self::Ended(ProgramExit::Signal(value)),
            b'l' => Self::Ended(ProgramExit::Lost),
            _ => return None,
        })
    }
}

/// Length of what follows, count of arguments, then every text with the NUL that ends it.
pub(crate) fn encode(plan: &SpawnPlan) -> Vec<u8> {
    let SpawnPlan { program, folder, args, env } = plan;
    let mut body = (args.len() as u32).to_le_bytes().to_vec();
    for text in [program, folder].into_iter().chain(args).chain(env) {
        body.extend_from_slice(text.as_bytes_with_nul());
    }
    // The kernel refuses far shorter ones, so no length is cut.
    let mut frame = (body.len() as u32).to_le_bytes().to_vec();
    frame.append(&mut body);
    frame
}

/// The plan behind the length.
pub(crate) fn decode(body: &[u8]) -> Option<SpawnPlan> {
    let (count, texts) = body.split_first_chunk()?;
    let mut texts = texts
        .split_inclusive(|byte| *byte == 0)
        .map(|text| CString::from_vec_with_nul(text.to_vec()).ok());
    let program = texts.next()??;
    let folder = texts.next()??;
    let count = u32::from_le_bytes(*count) as usize;
    let args: Vec<CString> = texts.by_ref().take(count).collect::<Option<_>>()?;
    let env = texts.collect::<Option<_>>()?;
    (args.len() == count).then_some(SpawnPlan { program, folder, args, env })
}

#[cfg(test)]
mod tests;
