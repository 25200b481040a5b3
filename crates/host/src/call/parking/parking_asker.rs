//! Who a server asks in the middle of a call whose caller can only come back: the question is put
//! aside until it does.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use toolgate_types::{Asker, InputRequest, QuestionAnswer, QuestionKind, ServerQuestion};

/// How many questions of one call may lie unread.
const UNREAD: usize = 8;

/// A question, and where its answer goes. Dropped, it is answered as if nobody were there.
pub(super) struct AskedQuestion {
    pub(super) request: InputRequest,
    pub(super) answer: oneshot::Sender<QuestionAnswer>,
}

pub(super) struct ParkingAsker {
    caller: Arc<dyn Asker>,
    questions: mpsc::Sender<AskedQuestion>,
}

impl ParkingAsker {
    /// The caller, and what it is asked.
    pub(super) fn over(caller: &Arc<dyn Asker>) -> (Arc<Self>, mpsc::Receiver<AskedQuestion>) {
        let (questions, asked) = mpsc::channel(UNREAD);
        (Arc::new(Self { caller: Arc::clone(caller), questions }), asked)
    }
}

#[async_trait]
impl Asker for ParkingAsker {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.caller.answers(kind)
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        let request = match self.caller.ask(question).await {
            QuestionAnswer::Defer(request) => request,
            answer => return answer,
        };
        let (answer, answered) = oneshot::channel();
        if self.questions.send(AskedQuestion { request, answer }).await.is_err() {
            return QuestionAnswer::NoChannel;
        }
        answered.await.unwrap_or(QuestionAnswer::NoChannel)
    }

    fn defers(&self) -> bool {
        true
    }
}
