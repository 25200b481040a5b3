//! Who answers what a server asks where several hosts share it.
//!
//! What is asked in the middle of an operation is for the one behind that operation. What is asked
//! besides is for the host that has the server, if there is only one; otherwise for nobody, since it
//! cannot be told whose matter it is. The folders of a workspace are never named to a server that
//! other workspaces use.

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use toolgate_types::{Asker, QuestionAnswer, QuestionKind, ServerQuestion};

use super::ServerInstance;

/// Those who have an instance, as the one who is asked.
pub(super) struct HostsAsked(pub(super) Weak<ServerInstance>);

#[async_trait]
impl Asker for HostsAsked {
    fn answers(&self, kind: QuestionKind) -> bool {
        let Some(instance) = self.0.upgrade() else { return false };
        let may_know = kind != QuestionKind::Roots || !instance.is_of_machine();
        may_know && instance.members.worlds().iter().any(|world| world.asker.answers(kind))
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        let Some(instance) = self.0.upgrade() else { return QuestionAnswer::NoChannel };
        let worlds = instance.members.worlds();
        let is_of_machine = instance.is_of_machine();
        // A person may think for long, and nothing is kept running for that.
        drop(instance);
        match worlds.as_slice() {
            [only] if !is_of_machine => only.asker.ask(question).await,
            _ => QuestionAnswer::NoChannel,
        }
    }
}

/// One who does not say where he works.
pub(super) struct RootlessAsker(pub(super) Arc<dyn Asker>);

#[async_trait]
impl Asker for RootlessAsker {
    fn answers(&self, kind: QuestionKind) -> bool {
        kind != QuestionKind::Roots && self.0.answers(kind)
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        match question.kind {
            QuestionKind::Roots => QuestionAnswer::NoChannel,
            QuestionKind::Elicit | QuestionKind::Sample => self.0.ask(question).await,
        }
    }

    fn defers(&self) -> bool {
        self.0.defers()
    }
}
