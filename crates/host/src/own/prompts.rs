//! Prompts as tools: a list of them, and the text of one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::{ListKind, OperationOutcome, OperationResult, ServerId};

use super::{OwnTool, done, listed};
use crate::call::call_trouble::CallTrouble;
use crate::{Call, Host};

#[derive(Deserialize, Default)]
struct PromptArguments {
    server: Option<String>,
    name: Option<String>,
    arguments: Option<Box<RawValue>>,
}

pub(super) async fn run(
    host: &Host,
    tool: &OwnTool,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    let unfit = |why: &str| CallTrouble::Arguments(why.to_owned());
    let asked = match call.arguments.as_deref() {
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|_| unfit("they are not what the schema says"))?,
        None => PromptArguments::default(),
    };
    let PromptArguments { server, name, arguments } = asked;
    let unknown = |name: &str| CallTrouble::NotFound(name.to_owned());
    let server = match &server {
        Some(name) => Some(ServerId::parse_reference(name).map_err(|_| unknown(name))?),
        None => None,
    };
    match (tool, server, name) {
        (OwnTool::GetPrompt, Some(server), Some(name)) => {
            let outcome =
                host.get_prompt(&server, &name, arguments.map(Arc::from), call.options).await;
            messages(outcome.map_err(|error| CallTrouble::Inner(Box::new(error)))?)
        }
        (OwnTool::GetPrompt, ..) => Err(unfit("`server` and `name` are needed")),
        (_, server, _) => {
            let found = host.found(&call.options.address, ListKind::Prompts, server.as_ref());
            listed("prompts", &found.await)
        }
    }
}

/// The messages of a prompt, as the content of a tool's result. Who says each is told where it is not
/// always the user.
fn messages(outcome: OperationOutcome) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Deserialize)]
    struct Message<'a> {
        role: String,
        #[serde(borrow)]
        content: &'a RawValue,
    }
    #[derive(Deserialize)]
    struct Messages<'a> {
        #[serde(borrow)]
        messages: Vec<Message<'a>>,
    }
    #[derive(Serialize)]
    struct Text {
        r#type: &'static str,
        text: String,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Item<'a> {
        Said(Text),
        Content(&'a RawValue),
    }
    #[derive(Serialize)]
    struct Content<'a> {
        content: Vec<Item<'a>>,
    }
    let result = match outcome {
        OperationOutcome::Done(OperationResult { result, .. }) => result,
        // Begun by somebody who takes such, and fetched by somebody who does not.
        OperationOutcome::DoneAtLength(_) => return Err(CallTrouble::Unreadable),
        required => return Ok(required),
    };
    let Messages { messages } =
        serde_json::from_str(result.get()).map_err(|_| CallTrouble::Unreadable)?;
    let is_dialogue = messages.iter().any(|message| message.role != "user");
    let mut content = Vec::new();
    for Message { role, content: said } in messages {
        if is_dialogue {
            content.push(Item::Said(Text { r#type: "text", text: format!("{role}:") }));
        }
        content.push(Item::Content(said));
    }
    done(&Content { content })
}
