//! A secret that a person types: nothing of it is shown, and the terminal is as it was afterwards.

use std::io::{self, ErrorKind, IsTerminal as _, Read as _};
use std::os::fd::AsFd as _;

use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use toolgate_types::Secret;

use crate::output_stream::OutputStream;
use crate::printable_text::PrintableText;

/// More is no secret that a person keeps by name.
const LONGEST: usize = 64 * 1024;

/// A secret: from the terminal, where standard input is one, else all of standard input without the
/// line's end behind it. `None` if the person gave up.
pub fn read_secret(question: &str) -> io::Result<Option<Secret>> {
    let mut bytes = match io::stdin().is_terminal() {
        true => match typed(question)? {
            Some(typed) => typed,
            None => return Ok(None),
        },
        false => {
            let mut bytes = Vec::new();
            io::stdin().lock().take(LONGEST as u64 + 3).read_to_end(&mut bytes)?;
            bytes
        }
    };
    for end in [b'\n', b'\r'] {
        if bytes.last() == Some(&end) {
            bytes.pop();
        }
    }
    if bytes.len() > LONGEST {
        let message = format!("it is longer than {} KiB", LONGEST / 1024);
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    // Kept in the same memory, which is wiped.
    let text = String::from_utf8(bytes);
    text.map(|text| Some(Secret::new(text)))
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// One line, byte by byte: signals are read as the keys they are, since a process that they ended would
/// leave a terminal behind that shows nothing any more.
fn typed(question: &str) -> io::Result<Option<Vec<u8>>> {
    // Before the question: whoever sees it may type at once.
    let silence = SilentTerminal::begin()?;
    OutputStream::Remarks.put(&PrintableText::lines(&format!("{question} ")))?;
    let mut line = Vec::new();
    let mut input = io::stdin().lock();
    let ended = loop {
        let mut byte = [0];
        if input.read(&mut byte)? == 0 {
            break !line.is_empty();
        }
        match byte[0] {
            b'\n' | b'\r' => break true,
            INTERRUPT | QUIT => break false,
            END_OF_INPUT => break !line.is_empty(),
            BACKSPACE | DELETE => {
                // A whole character, however many bytes it has.
                while line.pop().is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {}
            }
            KILL_LINE => line.clear(),
            _ if line.len() > LONGEST => {}
            byte => line.push(byte),
        }
    };
    drop(silence);
    OutputStream::Remarks.put(&PrintableText::lines("\n"))?;
    Ok(ended.then_some(line))
}

const INTERRUPT: u8 = 0x03;
const END_OF_INPUT: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const KILL_LINE: u8 = 0x15;
const QUIT: u8 = 0x1c;
const DELETE: u8 = 0x7f;

/// The terminal of standard input, while it shows nothing of what is typed.
struct SilentTerminal {
    before: Termios,
}

impl SilentTerminal {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin().as_fd())?;
        let mut silent = before.clone();
        silent.local_flags &= !(LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::ISIG);
        // What was typed before the question stood there answered something else.
        tcsetattr(io::stdin().as_fd(), SetArg::TCSAFLUSH, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for SilentTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin().as_fd(), SetArg::TCSADRAIN, &self.before);
    }
}
