//! Starts this program once more, to answer one query over what is kept.

use std::path::PathBuf;

use async_trait::async_trait;
use toolgate_host::HelperPath;
use toolgate_sandbox::{Description, Environment, ProcessSpawner, SpawnConditions};
use toolgate_servers::{QueryPipes, QueryStarter, query_arguments};
use toolgate_types::ConfigText;
use toolgate_types::config::{InheritEnv, Stderr};

/// Without walls: it is our own code, and bounds itself before it reads anything.
pub(crate) struct QueryProcess {
    spawner: ProcessSpawner,
}

impl QueryProcess {
    pub(crate) fn new() -> Self {
        Self { spawner: ProcessSpawner::new(HelperPath::current_exe()) }
    }
}

#[async_trait]
impl QueryStarter for QueryProcess {
    async fn start(&self) -> Result<QueryPipes, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let description = Description {
            program: ConfigText::Plain(program.to_string_lossy().into_owned()),
            args: query_arguments().map(|word| ConfigText::Plain(word.to_owned())).into(),
            folder: PathBuf::from("/"),
            env: [].into(),
            pass: Vec::new(),
            inherit: InheritEnv::None,
            source: Environment::default(),
        };
        let conditions =
            SpawnConditions { stderr: Stderr::Ignore, ..SpawnConditions::unconfined() };
        let spawned = self.spawner.spawn(&description, &conditions).await;
        let mut child = spawned.map_err(|error| error.to_string())?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(QueryPipes {
                input: Box::new(input),
                output: Box::new(output),
                process: Box::new(child),
            }),
            _ => Err("its process has no pipes".to_owned()),
        }
    }
}
