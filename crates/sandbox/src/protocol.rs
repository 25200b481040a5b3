//! What a reaper and its parent say to each other, as bytes.
//!
//! The parent sends one plan with three descriptors, then orders of one byte each; the reaper sends
//! reports of eight bytes each. Both are the same build of this crate, so there is one version and
//! no negotiation. Sending and receiving is done elsewhere.

use std::ffi::{OsStr, OsString};

use nix::sys::signal::Signal;

use crate::plan::SpawnPlan;
use crate::walls::{CodecReader, CodecWriter, Walls};
use crate::{PassedLimit, ProgramExit};

/// The arguments of a reaper. The second keeps a person's `__reap` from being taken for ours, and a
/// helper of another version from answering.
pub(crate) const ARGS: [&str; 2] = ["__reap", "toolgate-reap/3"];

/// The arguments of the inner reaper, where another program starts it behind the wall.
pub(crate) const WITHIN_ARGS: [&str; 2] = ["__within", "toolgate-reap/3"];

/// The arguments of the one that lets a program go, for the same reasons.
pub(crate) const DETACH_ARGS: [&str; 2] = ["__detach", "toolgate-detach/2"];

pub(crate) fn is_reaper(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(ARGS.map(OsStr::new))
}

pub(crate) fn is_within(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(WITHIN_ARGS.map(OsStr::new))
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
    /// The walls around it could not be built.
    Walls = 3,
    /// The program that was to build them ended without having done it.
    Bubblewrap = 4,
}

/// Something that the walls refuse, as the first process behind them saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeenRefusal {
    /// A name that is protected, by its place in the list that came with the plan.
    Protected(u8),
    WriteOutside,
    NetworkOff,
    /// The same where the folder is not even seen.
    WriteHidden,
}

/// A word of the reaper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReaperReport {
    Hello,
    /// The first process behind walls, by its number outside of them.
    First(i32),
    Started(i32),
    Failed(StartStage, i32),
    Ended(ProgramExit),
    /// The tree used more than it may and is being killed.
    Passed(PassedLimit),
    /// Told once of each, before the program's end.
    Refused(SeenRefusal),
}

impl ReaperReport {
    pub(crate) const SIZE: usize = 8;

    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let (kind, stage, value) = match self {
            Self::Hello => (b'h', 0, 0),
            Self::First(pid) => (b'1', 0, pid),
            Self::Started(pid) => (b's', 0, pid),
            Self::Failed(stage, errno) => (b'f', stage as u8, errno),
            Self::Ended(ProgramExit::Code(code)) => (b'c', 0, code),
            Self::Ended(ProgramExit::Signal(signal)) => (b'k', 0, signal),
            Self::Ended(ProgramExit::Lost) => (b'l', 0, 0),
            Self::Passed(limit) => (b'p', 0, limit as i32),
            Self::Refused(SeenRefusal::Protected(index)) => (b'r', 0, i32::from(index)),
            Self::Refused(SeenRefusal::WriteOutside) => (b'r', 1, 0),
            Self::Refused(SeenRefusal::NetworkOff) => (b'r', 2, 0),
            Self::Refused(SeenRefusal::WriteHidden) => (b'r', 3, 0),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [kind, stage, 0, 0, a, b, c, d]
    }

    pub(crate) fn from_bytes([kind, stage, _, _, a, b, c, d]: [u8; Self::SIZE]) -> Option<Self> {
        let value = i32::from_le_bytes([a, b, c, d]);
        let kind_of_refusal = stage;
        let stage = [
            StartStage::Prepare,
            StartStage::Folder,
            StartStage::Execute,
            StartStage::Walls,
            StartStage::Bubblewrap,
        ]
        .get(usize::from(stage));
        Some(match kind {
            b'h' => Self::Hello,
            b'1' => Self::First(value),
            b's' => Self::Started(value),
            b'f' => Self::Failed(*stage?, value),
            b'c' => Self::Ended(ProgramExit::Code(value)),
            b'k' => Self::Ended(ProgramExit::Signal(value)),
            b'l' => Self::Ended(ProgramExit::Lost),
            b'p' => Self::Passed(PassedLimit::of(value)?),
            b'r' => Self::Refused(match kind_of_refusal {
                0 => SeenRefusal::Protected(u8::try_from(value).ok()?),
                1 => SeenRefusal::WriteOutside,
                2 => SeenRefusal::NetworkOff,
                3 => SeenRefusal::WriteHidden,
                _ => return None,
            }),
            _ => return None,
        })
    }
}

/// Length of what follows, then the plan, and the walls if there are any.
pub(crate) fn encode(plan: &SpawnPlan) -> Vec<u8> {
    let SpawnPlan { program, folder, args, env, walls, learned: _, core_bytes } = plan;
    let mut body = CodecWriter::default();
    body.text(program);
    body.text(folder);
    body.texts(args);
    body.texts(env);
    body.number(u64::from(core_bytes.is_some()));
    body.number(core_bytes.unwrap_or_default());
    body.number(u64::from(walls.is_some()));
    if let Some(walls) = walls {
        walls.write(&mut body);
    }
    let mut body = body.into_bytes();
    // The kernel refuses far shorter ones, so no length is cut.
    let mut frame = (body.len() as u32).to_le_bytes().to_vec();
    frame.append(&mut body);
    frame
}

/// The plan behind the length.
pub(crate) fn decode(body: &[u8]) -> Option<SpawnPlan> {
    let mut body = CodecReader(body);
    let (program, folder) = (body.text()?, body.text()?);
    let (args, env) = (body.texts()?, body.texts()?);
    let (has_core, core_bytes) = (body.number()?, body.number()?);
    let core_bytes = (has_core != 0).then_some(core_bytes);
    let walls = match body.number()? {
        0 => None,
        _ => Some(Walls::read(&mut body)?),
    };
    let plan = SpawnPlan { program, folder, args, env, walls, learned: None, core_bytes };
    body.0.is_empty().then_some(plan)
}

#[cfg(test)]
mod tests;
