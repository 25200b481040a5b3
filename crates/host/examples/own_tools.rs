//! A program with tools of its own beside those of servers: they are listed, decided about, approved
//! and recorded as any other.

#![allow(clippy::print_stdout, reason = "it talks to a person")]

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_host::{ApprovalMode, CallError, Host, OutputPart, ServerId, Tool, ToolOutput};

/// Counts the words of a text.
struct CountWords(Box<RawValue>);

#[async_trait::async_trait]
impl Tool for CountWords {
    fn name(&self) -> &str {
        "count_words"
    }

    fn description(&self) -> &str {
        "Counts the words of a text."
    }

    fn parameters(&self) -> &RawValue {
        &self.0
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        // The host has held it against the schema above.
        let text =
            serde_json::from_str::<std::collections::BTreeMap<String, String>>(arguments.get());
        let words = text.map(|text| text.values().flat_map(|text| text.split(' ')).count());
        let (is_error, said) = match words {
            Ok(words) => (false, format!("{words} words")),
            Err(error) => (true, error.to_string()),
        };
        Ok(ToolOutput { is_error, parts: vec![OutputPart::Text(said)] })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Before there is any other thread: local servers run below copies of this program.
    toolgate_host::init();
    tokio::runtime::Runtime::new()?.block_on(run())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;
    let own: Vec<Arc<dyn Tool>> =
        vec![Arc::new(CountWords(RawValue::from_string(schema.to_owned())?))];
    // Counting does no harm, so nobody is asked.
    let id = ServerId::parse("words")?;
    let host = Host::builder().own_tools(id, ApprovalMode::Approve, own).build();
    let is_own = |tool: &Arc<dyn Tool>| tool.origin().is_some_and(|of| of.provider == "words");
    for tool in host.tools().await.into_iter().filter(is_own) {
        for arguments in std::env::args().skip(1) {
            match tool.call(RawValue::from_string(arguments)?).await {
                Ok(output) => println!("{}: {}", tool.name(), output.text()),
                Err(error) => println!("{}: {}: {}", tool.name(), error.code, error.message),
            }
        }
    }
    host.close_all().await;
    Ok(())
}
