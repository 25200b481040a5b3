//! What the agent of the demo does, as any agent's core would: it takes the tools of a host, and calls them.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolgate_host::Host;
use toolgate_types::{OutputPart, Tool};

use super::{DemoAudience, DemoSaid};

/// How much of an answer is shown.
const SHOWN: usize = 500;

pub(super) async fn play(host: &Host, audience: &dyn DemoAudience) -> Result<(), String> {
    let tools = host.tools().await;
    let agent = ScriptedAgent { tools, audience };
    agent.step("An agent lists what it may use");
    let names: Vec<String> = agent.tools.iter().map(|tool| shown_name(&**tool)).collect();
    audience.hears(DemoSaid::Answer(&names.join(", ")));
    agent.step("It looks for something: reading needs nobody");
    agent.call("repo/search", &json!({ "pattern": "TODO" })).await?;
    agent.step("It reads what it should not: nobody has to be asked for a no");
    agent.call("repo/read_file", &json!({ "path": ".env" })).await?;
    agent.step("It changes a file: that needs you");
    let edit = json!({
        "path": "src/prices.py", "old_text": "    # TODO: taxes\n    return sum(prices)\n",
        "new_text": "    return sum(prices) * 1.2\n",
    });
    agent.call("repo/edit_file", &edit).await?;
    agent.step("It reads a file that is too long for one answer: the rest is put aside");
    let long = agent.call("repo/read_file", &json!({ "path": "orders.txt" })).await?;
    agent.step("And finds the end of it there");
    let artifact = artifact_in(&long).ok_or("no result was put aside")?;
    let last = json!({ "artifact": artifact, "pattern": "order 2000", "literal": true });
    agent.call("workflow/artifact_search", &last).await?;
    Ok(())
}

struct ScriptedAgent<'a> {
    tools: Vec<Arc<dyn Tool>>,
    audience: &'a dyn DemoAudience,
}

impl ScriptedAgent<'_> {
    fn step(&self, what: &str) {
        self.audience.hears(DemoSaid::Step(what));
    }

    /// Calls a tool; what it says, as text.
    async fn call(&self, name: &str, arguments: &Value) -> Result<String, String> {
        let tool = self.tools.iter().find(|tool| shown_name(&***tool) == name);
        let tool = tool.ok_or_else(|| format!("there is no {name}"))?;
        self.audience.hears(DemoSaid::Agent(&format!("{name} {arguments}")));
        let arguments: Box<RawValue> =
            to_raw_value(arguments).map_err(|error| error.to_string())?;
        let said = match tool.call(arguments).await {
            Ok(output) => output.parts.iter().filter_map(told).collect::<Vec<_>>().join("\n"),
            Err(error) => error.to_string(),
        };
        let shown: String = said.chars().take(SHOWN).collect();
        let more = if shown.len() < said.len() { "\n…" } else { "" };
        self.audience.hears(DemoSaid::Answer(&format!("{shown}{more}")));
        Ok(said)
    }
}

/// A tool as a person knows it: its name in a list is made for models.
fn shown_name(tool: &dyn Tool) -> String {
    match tool.origin() {
        Some(origin) => format!("{}/{}", origin.provider, origin.name),
        None => tool.name().to_owned(),
    }
}

/// What a model reads first: texts, and where the rest is.
fn told(part: &OutputPart) -> Option<&str> {
    match part {
        OutputPart::Text(text) => Some(text),
        OutputPart::Link { uri, .. } => Some(uri),
        _ => None,
    }
}

/// The address of what was put aside, as the answer names it.
fn artifact_in(answer: &str) -> Option<&str> {
    const SCHEME: &str = "toolgate://artifact/";
    let from = answer.find(SCHEME)?;
    let rest = &answer[from..];
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_/:".contains(c);
    Some(rest.split(|c: char| !is_part(c)).next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::super::{Demo, DemoAudience, DemoSaid};
    use super::*;

    /// Writes everything down.
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl DemoAudience for Notes {
        fn hears(&self, said: DemoSaid<'_>) {
            self.0.lock().push(format!("{said:?}"));
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn everything_it_promises_happens_and_nothing_of_it_is_left() {
        let demo = Demo::prepare().unwrap();
        let notes = Arc::new(Notes::default());
        let audience: Arc<dyn DemoAudience> = Arc::clone(&notes) as _;
        demo.play(&audience).await.unwrap();
        let said = notes.0.lock().join("\n");
        for happened in ["repo/edit_file", "TODO: taxes", "order 2000, 5 items", "(prices) * 1.2"] {
            assert!(said.contains(happened), "{happened}: {said}");
        }
        assert_eq!(said.matches("Question(").count(), 1, "only the change is asked about: {said}");
        assert!(!said.contains("a-secret-that-no-agent-sees"), "{said}");
        let written = std::fs::read_to_string(demo.folder.project().join("src/prices.py")).unwrap();
        assert!(written.contains("* 1.2"), "{written}");
        let path = demo.folder.path().to_owned();
        drop(demo);
        assert!(!path.exists());
    }
}
