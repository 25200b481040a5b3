//! The id under which a caller knows a task of a server: the server's own id and whose it is, sealed, so
//! that two servers' ids never meet, nobody asks for another's task, and nothing has to be remembered: it
//! means the same to the next run of this program.
//!
//! It does not end by itself: how long a task is kept its server says, and may say otherwise later.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolgate_types::{CorrelationId, Digest, Principal, ServerId};

use super::ApprovalQueue;

/// What every such id begins with: the version of its format is a part of it, and of what is sealed.
const MARK: &str = "toolgate-task1.";

/// The longest that can be one of ours; anything else is not even decoded.
const LONGEST: usize = 8 * 1024;

/// Whose a task is.
#[derive(Debug, Clone, Copy)]
pub struct TaskOwner<'a> {
    pub principal: &'a Principal,
    pub workspace: &'a Path,
}

/// A task that a call has just come to.
#[derive(Debug, Clone, Copy)]
pub struct BegunTask<'a> {
    pub server: &'a ServerId,
    /// The tool that was called, by the server's own name.
    pub tool: &'a str,
    /// The reference of the call.
    pub call: &'a CorrelationId,
    /// As its server has it.
    pub id: &'a str,
}

/// A task that a caller was told of, at its server. It comes of an id that was sealed here, and of
/// nothing else.
#[derive(Debug)]
pub struct OwnedTask {
    pub server: ServerId,
    /// The tool whose call began it, by the server's own name.
    pub tool: String,
    /// The reference of that call.
    pub call: CorrelationId,
    id: String,
}

impl OwnedTask {
    /// As its server has it.
    pub fn id(&self) -> &str {
        &self.id
    }
}

#[derive(Serialize, Deserialize)]
struct SealedTaskFields {
    server: String,
    tool: String,
    task: String,
    call: String,
    whose: String,
}

impl ApprovalQueue {
    /// The id that its caller is told. `entry` is the fingerprint of what is configured for its server.
    pub async fn task_id(
        &self,
        task: BegunTask<'_>,
        owner: TaskOwner<'_>,
        entry: Digest,
    ) -> Option<String> {
        let BegunTask { server, tool, call, id } = task;
        let written = SealedTaskFields {
            server: server.as_str().to_owned(),
            tool: tool.to_owned(),
            task: id.to_owned(),
            call: call.as_str().to_owned(),
            whose: whose(owner, server, entry).to_hex(),
        };
        let body = format!("{MARK}{}", BASE64.encode(serde_json::to_vec(&written).ok()?));
        let seal = BASE64.encode(self.key().await.ok()?.hash(&body).digest().0);
        Some(format!("{body}.{seal}"))
    }

    /// The task that an id is of, where it is this caller's and its server is still the same. Nothing
    /// says which of that is not so.
    pub async fn task_of(
        &self,
        id: &str,
        owner: TaskOwner<'_>,
        entry: impl FnOnce(&ServerId) -> Option<Digest>,
    ) -> Option<OwnedTask> {
        let (body, seal) = id.rsplit_once('.').filter(|_| id.len() <= LONGEST)?;
        let seal = BASE64.decode(seal).ok()?;
        if !self.key().await.ok()?.hash(body).is(&seal) {
            return None;
        }
        let body = BASE64.decode(body.strip_prefix(MARK)?).ok()?;
        let SealedTaskFields { server, tool, task, call, whose: sealed } =
            serde_json::from_slice(&body).ok()?;
        let server = ServerId::parse_reference(&server).ok()?;
        let is_theirs = whose(owner, &server, entry(&server)?).to_hex() == sealed;
        let call = CorrelationId::parse(&call)?;
        is_theirs.then_some(OwnedTask { server, tool, call, id: task })
    }
}

/// Who may ask for a task of which server, in one number.
fn whose(owner: TaskOwner<'_>, server: &ServerId, entry: Digest) -> Digest {
    let workspace = owner.workspace.as_os_str().as_encoded_bytes();
    let mut hash = Sha256::new();
    for part in [owner.principal.as_str().as_bytes(), workspace, server.as_str().as_bytes()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.update(entry.0);
    Digest(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Digest = Digest([7; 32]);

    fn owner<'a>(principal: &'a Principal, workspace: &'a str) -> TaskOwner<'a> {
        TaskOwner { principal, workspace: Path::new(workspace) }
    }

    async fn given(queue: &ApprovalQueue, server: &str, id: &str) -> String {
        let server = ServerId::parse(server).unwrap();
        let call = CorrelationId::parse("c-1").unwrap();
        let task = BegunTask { server: &server, tool: "build", call: &call, id };
        queue.task_id(task, owner(&Principal::local_user(), "/w"), ENTRY).await.unwrap()
    }

    #[tokio::test]
    async fn an_id_is_its_callers_alone_and_names_its_server() {
        let queue = ApprovalQueue::new(None);
        let (me, other) = (Principal::local_user(), Principal::named("other"));
        let id = given(&queue, "ci", "786512e2").await;
        let task = queue.task_of(&id, owner(&me, "/w"), |_| Some(ENTRY)).await.unwrap();
        assert_eq!((task.server.as_str(), task.id(), &*task.tool), ("ci", "786512e2", "build"));
        assert_eq!(task.call.as_str(), "c-1");
        for (whose, entry) in [
            (owner(&other, "/w"), Some(ENTRY)),
            (owner(&me, "/elsewhere"), Some(ENTRY)),
            (owner(&me, "/w"), Some(Digest([8; 32]))),
            (owner(&me, "/w"), None),
        ] {
            assert!(queue.task_of(&id, whose, |_| entry).await.is_none(), "{whose:?}");
        }
        assert_ne!(id, given(&queue, "cd", "786512e2").await, "two servers' tasks are two");
    }

    #[tokio::test]
    async fn nothing_but_what_was_sealed_here_is_one() {
        let queue = ApprovalQueue::new(None);
        let me = Principal::local_user();
        let id = given(&queue, "ci", "t").await;
        let flipped = |at: usize| {
            let mut bytes = id.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            String::from_utf8(bytes).unwrap()
        };
        let mut tried = vec![String::new(), "t".to_owned(), "786512e2".to_owned()];
        tried.extend([format!("{id}A"), id.replace(MARK, ""), format!("{MARK}{id}")]);
        // The last character of a seal has bits that mean nothing; the decoder refuses those.
        tried.extend((0..id.len()).map(flipped));
        for text in tried {
            let task = queue.task_of(&text, owner(&me, "/w"), |_| Some(ENTRY)).await;
            assert!(task.is_none(), "{text}");
        }
        let another = ApprovalQueue::new(None);
        let task = another.task_of(&id, owner(&me, "/w"), |_| Some(ENTRY)).await;
        assert!(task.is_none(), "under another key");
    }
}
