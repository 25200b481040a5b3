//! A show of what the gate does, in a folder of its own: a small project, the servers that Toolgate brings,
//! and an agent that keeps to a script. No daemon, no network, nothing of the person's.
//!
//! Its one way to approve is the script's own: whoever asks over it is a host that was made here, and ends
//! here.

mod demo_folder;
mod demo_script;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_store::{SqliteStore, Store};
use toolgate_types::{
    ApprovalChoice, ApprovalQuestion, ApprovalReply, Asker, QuestionAnswer, QuestionKind,
    ServerQuestion, Variables,
};

use crate::{AssembledConfig, HostAssembly, WorkspaceContext};
use demo_folder::DemoFolder;

/// What happens in the demo, in its order.
#[derive(Debug, Clone, Copy)]
pub enum DemoSaid<'a> {
    /// What comes next.
    Step(&'a str),
    /// What the agent does.
    Agent(&'a str),
    /// What it gets.
    Answer(&'a str),
    /// What a person would be asked, whole.
    Question(&'a str),
    /// What the script answers in their place.
    Person(&'a str),
}

/// Who watches.
pub trait DemoAudience: Send + Sync {
    fn hears(&self, said: DemoSaid<'_>);
}

/// A demo that is set up. Everything of it is gone when it is dropped.
#[derive(Debug)]
pub struct Demo {
    folder: DemoFolder,
}

impl Demo {
    pub fn prepare() -> std::io::Result<Self> {
        Ok(Self { folder: DemoFolder::create()? })
    }

    /// Where its records are.
    pub fn state_folder(&self) -> PathBuf {
        self.folder.state()
    }

    /// Plays the script, and ends everything that it started.
    pub async fn play(&self, audience: &Arc<dyn DemoAudience>) -> Result<(), String> {
        let store = SqliteStore::open(&self.folder.state()).map_err(|error| error.to_string())?;
        let store: Arc<dyn Store> = Arc::new(store);
        let home = self.folder.home().display().to_string();
        let variables = Variables::from([("HOME".to_owned(), home)]);
        let context = WorkspaceContext::of_folder(&self.folder.project(), &variables);
        let assembled = AssembledConfig::of(&context, &store).await?;
        let assembly = HostAssembly::new().map_err(|rules| rules.to_string())?;
        let assembly = assembly.store(store).own_places(vec![self.folder.state()]);
        let asker = Arc::new(DemoPerson { audience: Arc::clone(audience) });
        let host = assembly.for_agents(&context, &assembled).asker(asker).build();
        let played = demo_script::play(&host, &**audience).await;
        host.close_all().await;
        played
    }
}

/// Says yes once to whatever it is asked, out loud.
struct DemoPerson {
    audience: Arc<dyn DemoAudience>,
}

#[async_trait]
impl Asker for DemoPerson {
    fn answers(&self, _: QuestionKind) -> bool {
        false
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        QuestionAnswer::NoChannel
    }

    fn approves(&self) -> Option<&'static str> {
        Some("demo")
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        self.audience.hears(DemoSaid::Question(&question.text));
        self.audience.hears(DemoSaid::Person("once (the script answers; elsewhere you do)"));
        ApprovalReply::Said(ApprovalChoice::Once)
    }
}
