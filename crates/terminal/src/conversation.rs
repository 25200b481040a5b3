//! The terminal itself, wherever standard input and output go, and a conversation at it that can be
//! taken back while the person still thinks.

use parking_lot::Mutex;
use std::io::{self, BufRead as _, BufReader, Error, PipeReader, PipeWriter, Result};
use std::os::fd::AsFd as _;
use std::sync::Arc;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};

use crate::output_stream::OwnTerminal;
use crate::printable_text::PrintableText;
use crate::terminal_size::TerminalSize;

/// The terminal, for as long as a conversation lasts.
#[derive(Debug)]
pub struct AskerTerminal {
    file: BufReader<OwnTerminal>,
    line: Arc<Mutex<LineState>>,
    /// Ends when the conversation is taken back.
    taken_back: PipeReader,
}

/// How far the last line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineState {
    Ended,
    /// A question stands there, and no answer behind it.
    Asked,
    /// Nothing is written any more.
    TakenBack,
}

/// Has a conversation on a thread of its own. Dropped, it is taken back: nothing more is written and
/// nothing more is read, so that the next question gets the next answer.
pub async fn talk<T: Send + 'static>(
    conversation: impl FnOnce(&mut AskerTerminal) -> Result<T> + Send + 'static,
) -> Result<T> {
    let file = OwnTerminal::open()?;
    let (taken_back, held) = io::pipe()?;
    let line = Arc::new(Mutex::new(LineState::Ended));
    let _talk = TerminalTalk { file: file.try_clone()?, line: Arc::clone(&line), _held: held };
    let mut terminal = AskerTerminal { file: BufReader::new(file), line, taken_back };
    let talked = tokio::task::spawn_blocking(move || conversation(&mut terminal));
    talked.await.map_err(Error::other)?
}

/// Whether this process has a terminal at all.
pub fn is_terminal_there() -> bool {
    OwnTerminal::open().is_ok()
}

struct TerminalTalk {
    file: OwnTerminal,
    line: Arc<Mutex<LineState>>,
    _held: PipeWriter,
}

impl Drop for TerminalTalk {
    fn drop(&mut self) {
        let mut line = self.line.lock();
        if *line == LineState::Asked {
            let _ = self.file.put(&PrintableText::default().ended());
        }
        *line = LineState::TakenBack;
    }
}

impl AskerTerminal {
    pub fn say(&mut self, text: &str) -> Result<()> {
        self.write(&format!("{text}\n"), LineState::Ended)
    }

    /// Shows a text page by page, so that nothing of it scrolls away unseen, and `again` right above
    /// the question that follows. `false` if the person does not look through it to its end.
    pub fn leaf(&mut self, text: &str, again: &str, question: &str) -> Result<bool> {
        let pages = TerminalSize::of_remarks(question).cut(text, again);
        let count = pages.len();
        for (index, page) in pages.iter().enumerate() {
            self.write(page, LineState::Ended)?;
            let number = index + 1;
            if number == count {
                break;
            }
            let more = format!("-- page {number} of {count}: Enter for the next, q to stop --");
            match self.ask(&more)? {
                Some(typed) if !typed.to_ascii_lowercase().starts_with('q') => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// What the person types; `None` at the end of input.
    pub fn ask(&mut self, question: &str) -> Result<Option<String>> {
        self.write(&format!("{question} "), LineState::Asked)?;
        self.wait_for_input()?;
        let mut text = String::new();
        if self.file.read_line(&mut text)? == 0 {
            return Ok(None);
        }
        // The person has ended it.
        let mut line = self.line.lock();
        if *line == LineState::Asked {
            *line = LineState::Ended;
        }
        Ok(Some(text.trim().to_owned()))
    }

    /// Anything but a clear yes is a no.
    pub fn agrees(&mut self, question: &str) -> Result<bool> {
        let answer = self.ask(&format!("{question} [y/N]"))?.unwrap_or_default();
        Ok(matches!(answer.to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Which of these words the person says, by the word or by its first letter; asked until it is one
    /// of them. What was typed before the question stood there answered something else.
    pub fn choose(
        &mut self,
        question: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>> {
        let offered = words.iter().map(|word| match word.split_at_checked(1) {
            Some((first, rest)) => format!("[{first}]{rest}"),
            None => String::new(),
        });
        let question = format!("{question} {}:", offered.collect::<Vec<_>>().join(" "));
        let _ = tcflush(self.file.get_ref(), FlushArg::TCIFLUSH);
        loop {
            let Some(typed) = self.ask(&question)? else { return Ok(None) };
            let typed = typed.to_ascii_lowercase();
            let is_meant =
                |word: &&&str| typed == **word || (typed.len() == 1 && word.starts_with(&typed));
            if let Some(word) = words.iter().find(is_meant) {
                return Ok(Some(word));
            }
        }
    }

    fn write(&mut self, text: &str, then: LineState) -> Result<()> {
        let mut line = self.line.lock();
        if *line == LineState::TakenBack {
            return Err(taken_back());
        }
        self.file.get_mut().put(&PrintableText::lines(text))?;
        *line = then;
        Ok(())
    }

    /// Until a whole line was typed, or nobody wants it any more.
    fn wait_for_input(&self) -> Result<()> {
        if !self.file.buffer().is_empty() {
            return Ok(());
        }
        loop {
            let mut both = [
                PollFd::new(self.taken_back.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.file.get_ref().as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut both, PollTimeout::NONE) {
                Ok(_) if both[0].any() == Some(true) => return Err(taken_back()),
                // Some systems cannot wait for a terminal; reading waits as well.
                Ok(_) => return Ok(()),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn taken_back() -> Error {
    Error::new(io::ErrorKind::Interrupted, "nobody wants to know any more")
}
