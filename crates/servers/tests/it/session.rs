//! A folder, and the tools that serve it, as a host takes them and in the words of the protocol.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_servers::{PrivatePlaces, RepoBounds, RepoServer};
use toolgate_types::{OutputPart, Tool};

/// Long enough for any machine; only a test that is about to fail waits for it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(50);

/// A folder `root`, with room beside it for what lies outside.
pub(crate) struct Ground(TempDir);

impl Ground {
    pub(crate) fn new() -> Self {
        let ground = Self(TempDir::new().unwrap());
        fs::create_dir(ground.root()).unwrap();
        ground
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let ground = Self::new();
        for (path, text) in files {
            ground.write(path, text);
        }
        ground
    }

    /// The folder that is served.
    pub(crate) fn root(&self) -> PathBuf {
        self.beside("root")
    }

    /// Something next to it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
        self
    }

    pub(crate) fn session(&self) -> Session {
        self.session_beside(PrivatePlaces::default())
    }

    /// With private things elsewhere on the machine.
    pub(crate) fn session_beside(&self, private: PrivatePlaces) -> Session {
        Session::with(&RepoServer::new(self.root(), private))
    }

    pub(crate) fn bounded(&self, bounds: RepoBounds) -> Session {
        let own = RepoServer::with_bounds(self.root(), PrivatePlaces::default(), bounds);
        Session::with(&own)
    }
}

pub(crate) struct Session(Vec<Arc<dyn Tool>>);

impl Session {
    pub(crate) fn with(server: &RepoServer) -> Self {
        Self(server.tools().into_iter().chain(server.writing_tools()).collect())
    }

    /// The tools themselves.
    pub(crate) fn raw_tools(&self) -> &[Arc<dyn Tool>] {
        &self.0
    }

    pub(crate) fn tools(&self) -> Vec<Value> {
        let listed = self.0.iter().map(|tool| {
            let hints = tool.hints();
            json!({
                "name": tool.name(), "title": tool.title(), "description": tool.description(),
                "inputSchema": tool.parameters(), "outputSchema": tool.output_schema(),
                "annotations": {
                    "readOnlyHint": hints.read_only, "destructiveHint": hints.destructive,
                    "idempotentHint": hints.idempotent, "openWorldHint": hints.open_world,
                },
            })
        });
        listed.collect()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let tool = self.0.iter().find(|known| known.name() == tool).expect("a tool that is there");
        let arguments = serde_json::value::to_raw_value(&arguments).unwrap();
        let output = tool.call(arguments).await.unwrap();
        let mut result = json!({ "content": [], "isError": output.is_error });
        for part in output.parts {
            match part {
                OutputPart::Text(text) => {
                    let block = json!({ "type": "text", "text": text });
                    result["content"].as_array_mut().unwrap().push(block);
                }
                OutputPart::Json(json) => {
                    result["structuredContent"] = serde_json::from_str(json.get()).unwrap();
                }
                other => panic!("{other:?}"),
            }
        }
        result
    }

    /// The structured result of a call that works.
    pub(crate) async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// What a call that does not work says.
    pub(crate) async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn read(&mut self, path: &str) -> Value {
        self.done("read_file", json!({ "path": path })).await
    }

    pub(crate) async fn read_refused(&mut self, path: &str) -> String {
        self.refused("read_file", json!({ "path": path })).await
    }
}
