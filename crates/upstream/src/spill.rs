//! An answer that is too long to hold: as it comes it goes to a file that has no name, and what is
//! held of it is the same answer with every long string cut.
//!
//! Whoever asked and can make something of that gets both; to everybody else it is an answer that is
//! too large. However it ends, the file goes with whoever held it last.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::sync::Arc;

use toolgate_store::StoreError;
use toolgate_types::CutMark;
use toolgate_wire::abridge::{AbridgeRules, AbridgedMessage, MessageAbridger};
use toolgate_wire::{Message, MessageId, MessageLimits, peek_id};

use crate::failure::RequestError;
use crate::reply::ServerReply;
use crate::spilled_answer::{SpillPlace, SpilledAnswer};

/// How much of a string is held.
const STRING: usize = 8 << 10;
/// How much is written at once.
const GATHERED: usize = 1 << 20;
/// Where an id is looked for in what cannot be read.
const HEAD: usize = 256;

/// An answer on its way to the file.
pub(crate) struct AnswerSpill {
    abridger: MessageAbridger,
    mark: CutMark,
    head: Vec<u8>,
    file: SpillFile,
    gathered: Vec<u8>,
    length: u64,
    place: SpillPlace,
}

enum SpillFile {
    Unopened,
    Open(File),
    /// From here on nothing is written.
    Failed(RequestError),
}

impl AnswerSpill {
    pub(crate) fn begin(place: &SpillPlace, limits: &MessageLimits) -> Self {
        // Keyed with the system's randomness.
        let random = || RandomState::new().build_hasher().finish();
        let mark = CutMark::new(&format!("{:016x}{:016x}", random(), random()));
        let rules = AbridgeRules { string: STRING, whole: limits.bytes, mark: mark.clone() };
        Self {
            abridger: MessageAbridger::new(rules),
            mark,
            head: Vec::with_capacity(HEAD),
            file: SpillFile::Unopened,
            gathered: Vec::new(),
            length: 0,
            place: place.clone(),
        }
    }

    pub(crate) async fn feed(&mut self, bytes: &[u8]) {
        let missing = HEAD - self.head.len();
        self.head.extend(bytes.iter().take(missing));
        self.abridger.feed(bytes);
        self.length += bytes.len() as u64;
        let SpillPlace { most, setting, .. } = &self.place;
        if self.length > *most && !matches!(self.file, SpillFile::Failed(_)) {
            let why = format!("it has more than the {most} bytes that `{setting}` allows");
            self.file = SpillFile::Failed(RequestError::TooLarge { why, detail: None });
        }
        for piece in bytes.chunks(GATHERED) {
            if matches!(self.file, SpillFile::Failed(_)) {
                self.gathered = Vec::new();
                return;
            }
            self.gathered.extend_from_slice(piece);
            if self.gathered.len() >= GATHERED {
                self.write().await;
            }
        }
    }

    /// On another thread: a disk may be slow.
    async fn write(&mut self) {
        let unfinished = SpillFile::Failed(RequestError::Closed("it is ending".to_owned()));
        let mut file = match std::mem::replace(&mut self.file, unfinished) {
            SpillFile::Open(file) => file,
            SpillFile::Unopened => match self.place.store.open_spill().await {
                Ok(file) => file,
                Err(error) => return self.file = SpillFile::Failed(RequestError::unkept(&error)),
            },
            failed @ SpillFile::Failed(_) => return self.file = failed,
        };
        let mut bytes = std::mem::take(&mut self.gathered);
        let written = tokio::task::spawn_blocking(move || {
            let written = file.write_all(&bytes);
            bytes.clear();
            written.map(|()| (file, bytes))
        });
        match written.await {
            Ok(Ok((file, bytes))) => {
                (self.file, self.gathered) = (SpillFile::Open(file), bytes);
            }
            Ok(Err(error)) => {
                self.file = SpillFile::Failed(RequestError::unkept(&StoreError::of_io(&error)));
            }
            // The runtime is ending, and so is everything else.
            Err(_) => {}
        }
    }

    /// The request that this answers, as far as anybody can tell, and what it answers.
    pub(crate) async fn end(
        mut self,
        limits: &MessageLimits,
    ) -> (Option<u64>, Result<ServerReply, RequestError>) {
        self.write().await;
        let Self { abridger, mark, head, file, .. } = self;
        let AbridgedMessage { bytes, result, rests, .. } = abridger.finish();
        let held = bytes.as_deref().and_then(|bytes| match Message::parse(bytes, limits) {
            Ok(Message::Response(response)) => {
                Some((response.id.as_ref().and_then(MessageId::as_u64), ServerReply::of(&response)))
            }
            _ => None,
        });
        let id = match &held {
            Some((id, _)) => *id,
            None => peek_id(&head).and_then(|id| id.as_id().as_u64()),
        };
        let file = match file {
            SpillFile::Open(file) => Some(file),
            SpillFile::Unopened => None,
            SpillFile::Failed(failure) => return (id, Err(failure)),
        };
        let (Some(file), Some(result)) = (file, result) else {
            let why = "it cannot be read".to_owned();
            return (id, Err(RequestError::TooLarge { why, detail: None }));
        };
        let raw = match held {
            Some((_, ServerReply::Result(raw))) => Some(raw),
            _ => None,
        };
        let rests = rests.filter(|_| raw.is_some());
        let spilled = SpilledAnswer {
            file: Arc::new(file),
            result,
            mark,
            is_abridged: raw.is_some(),
            rests: rests.map(Arc::from),
        };
        (id, Ok(ServerReply::Spilled { raw, spilled }))
    }
}
