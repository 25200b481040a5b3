//! An agent of one page, with everything that Toolgate has: the person's configuration and what they
//! accepted of it, the policy, records of every call, and approvals that are answered at the terminal.
//!
//! The model is scripted (`tool={"json": …}` for each call), so that the example runs anywhere; a real
//! one takes the same tools. It knows nothing of servers: only names, descriptions, schemas and calls.

#![allow(clippy::print_stdout, reason = "it talks to a person")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_assembly::{AssembledConfig, HostAssembly, WorkspaceContext};
use toolgate_host::{
    ApprovalChoice, ApprovalQuestion, ApprovalReply, Asker, QuestionAnswer, QuestionKind,
    ServerQuestion, Tool,
};
use toolgate_store::{SqliteStore, Store};

/// The person at this terminal.
struct AtTheTerminal;

#[async_trait::async_trait]
impl Asker for AtTheTerminal {
    fn answers(&self, _: QuestionKind) -> bool {
        false
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        QuestionAnswer::NoChannel
    }

    fn approves(&self) -> Option<&'static str> {
        Some("terminal")
    }

    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        let words: Vec<&str> = question.choices.iter().map(|choice| choice.as_str()).collect();
        println!("{}\n{}?", question.text, words.join(", "));
        let asked = tokio::task::spawn_blocking(|| std::io::stdin().lines().next());
        let Ok(Some(Ok(line))) = asked.await else { return ApprovalReply::NoChannel };
        ApprovalChoice::parse(line.trim()).map_or(ApprovalReply::Nothing, ApprovalReply::Said)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Before there is any other thread: local servers run below copies of this program.
    toolgate_host::init();
    tokio::runtime::Runtime::new()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let state = arguments.next().ok_or("name the folder where records are kept")?;
    let folder = std::env::current_dir()?;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(Path::new(&state))?);
    let context = WorkspaceContext::of_folder(&folder, &std::env::vars().collect());
    let loaded = AssembledConfig::of(&context, &store).await?;
    let assembly = HostAssembly::new()?.store(Arc::clone(&store));
    let host = assembly.for_agents(&context, &loaded).asker(Arc::new(AtTheTerminal)).build();
    let tools = host.tools().await;
    for step in arguments {
        let (wanted, given) = step.split_once('=').unwrap_or((&step, "{}"));
        let is_wanted = |tool: &&Arc<dyn Tool>| tool.origin().is_some_and(|of| of.name == wanted);
        let said = match tools.iter().find(is_wanted) {
            None => format!("there is no tool `{wanted}`"),
            Some(tool) => match tool.call(RawValue::from_string(given.to_owned())?).await {
                Ok(output) if output.is_error => format!("failed: {}", output.text()),
                Ok(output) => output.text(),
                Err(error) => format!("{}: {}", error.code, error.message),
            },
        };
        println!("{wanted}: {said}");
        std::io::stdout().flush()?;
    }
    host.close_all().await;
    Ok(())
}
