//! What a command prints, read and passed on: what nobody takes is not read, so the command waits.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::mpsc;
use toolgate_types::{CommandPiece, PrintedStream};
use toolgate_wire::MessageLimits;

use super::kept_output::WHOLE;
use super::result::ResultSpill;
use super::tally::CommandTally;
use super::whole_characters::WholeCharacters;
use crate::spilled_answer::SpillPlace;

/// How much is read, and passed on, at once.
const PIECE: usize = 8 << 10;

/// Where output goes.
pub(super) struct OutputPump {
    pub(super) tally: Arc<CommandTally>,
    /// Who reads along; nothing where nobody does any more.
    pub(super) listener: Option<mpsc::Sender<CommandPiece>>,
    pub(super) place: Option<(SpillPlace, MessageLimits)>,
    pub(super) spill: Option<ResultSpill>,
    cut: [WholeCharacters; 2],
}

impl OutputPump {
    pub(super) fn new(
        tally: Arc<CommandTally>,
        listener: Option<mpsc::Sender<CommandPiece>>,
        place: Option<(SpillPlace, MessageLimits)>,
    ) -> Self {
        Self { tally, listener, place, spill: None, cut: Default::default() }
    }

    /// Reads both streams to their end.
    pub(super) async fn run(
        &mut self,
        stdout: &mut (impl AsyncRead + Unpin),
        stderr: &mut (impl AsyncRead + Unpin),
    ) {
        let (mut printed, mut complained) = (vec![0; PIECE], vec![0; PIECE]);
        let (mut is_printing, mut is_complaining) = (true, true);
        while is_printing || is_complaining {
            tokio::select! {
                read = stdout.read(&mut printed), if is_printing => {
                    let read = read.unwrap_or(0);
                    is_printing = read > 0;
                    self.take(PrintedStream::Stdout, &printed[..read]).await;
                }
                read = stderr.read(&mut complained), if is_complaining => {
                    let read = read.unwrap_or(0);
                    is_complaining = read > 0;
                    self.take(PrintedStream::Stderr, &complained[..read]).await;
                }
            }
        }
    }

    /// Nothing is the end of its stream.
    async fn take(&mut self, stream: PrintedStream, bytes: &[u8]) {
        let cut = &mut self.cut[usize::from(stream == PrintedStream::Stderr)];
        let whole = if bytes.is_empty() { cut.rest() } else { cut.feed(bytes) };
        if whole.is_empty() {
            return;
        }
        if stream == PrintedStream::Stdout {
            self.spill(&whole).await;
        }
        self.tally.feed(stream, &whole);
        if let Some(listener) = &self.listener
            && listener.send(CommandPiece::Printed { stream, bytes: whole }).await.is_err()
        {
            self.listener = None;
        }
    }

    /// Beyond what is held whole, all of it goes to a file.
    async fn spill(&mut self, bytes: &[u8]) {
        if self.spill.is_none() {
            let before = self.tally.kept(|kept| {
                let is_too_long = kept.stdout.head().len() + bytes.len() > WHOLE;
                is_too_long.then(|| kept.stdout.head().to_owned())
            });
            let (Some(before), Some((place, limits))) = (before, &self.place) else { return };
            let mut spill = ResultSpill::begin(place, limits).await;
            spill.feed(&before).await;
            self.spill = Some(spill);
        }
        if let Some(spill) = &mut self.spill {
            spill.feed(bytes).await;
        }
    }
}
