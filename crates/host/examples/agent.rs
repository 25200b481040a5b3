//! A whole agent on one page: the tools of every configured server, a model, and the loop between.
//!
//! The model is scripted, so that the example runs anywhere; a real one takes the same tools and
//! gives the same turns. It knows nothing of servers: only names, descriptions, schemas and calls.

#![allow(clippy::print_stdout, reason = "it talks to a person")]

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_config::{LoadOptions, load};
use toolgate_host::{AllowEverything, Guard, Host};
use toolgate_types::Tool;

/// What a model wants next.
enum Turn {
    Call { tool: String, arguments: Box<RawValue> },
    Say(String),
}

/// Calls every tool of its script in turn, then sums up what came back.
struct ScriptedModel(std::vec::IntoIter<(String, String)>);

impl ScriptedModel {
    /// Reads `tool={"json": …}` pairs, with the tools' own names.
    fn of(script: impl Iterator<Item = String>) -> Self {
        let pair = |step: String| {
            let (tool, arguments) = step.split_once('=').unwrap_or((&step, "{}"));
            (tool.to_owned(), arguments.to_owned())
        };
        Self(script.map(pair).collect::<Vec<_>>().into_iter())
    }

    fn next(&mut self, tools: &[Arc<dyn Tool>], heard: &[String]) -> serde_json::Result<Turn> {
        let Some((wanted, arguments)) = self.0.next() else {
            return Ok(Turn::Say(format!("I heard: {}", heard.join(" | "))));
        };
        let is_wanted = |tool: &&Arc<dyn Tool>| tool.origin().is_some_and(|of| of.name == wanted);
        let tool = tools.iter().find(is_wanted).map_or(wanted.clone(), |tool| tool.name().into());
        Ok(Turn::Call { tool, arguments: RawValue::from_string(arguments)? })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    toolgate_sandbox::init();
    let folder = std::env::current_dir()?;
    let mut options = LoadOptions::new(&folder);
    options.env = std::env::vars().collect();
    let variables = options.env.clone();
    let host = Host::builder()
        .config(load(&options).config)
        .workspace(folder)
        .variables(variables)
        .guard(Guard::without_policy(AllowEverything::insecure_no_policy()))
        .build();
    let tools = host.tools().await;
    let mut model = ScriptedModel::of(std::env::args().skip(1));
    let mut heard = Vec::new();
    loop {
        match model.next(&tools, &heard)? {
            Turn::Say(text) => break println!("{text}"),
            Turn::Call { tool: name, arguments } => {
                let Some(tool) = tools.iter().find(|tool| tool.name() == name) else {
                    heard.push(format!("there is no tool `{name}`"));
                    continue;
                };
                heard.push(match tool.call(arguments).await {
                    Ok(output) if output.is_error => format!("failed: {}", output.text()),
                    Ok(output) => output.text(),
                    Err(error) => format!("{}: {}", error.code, error.message),
                });
            }
        }
    }
    host.close_all().await;
    Ok(())
}
