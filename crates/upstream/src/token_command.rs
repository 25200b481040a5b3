//! Tokens that a program of the person's prints: run without a shell, believed for the servers that it was
//! named for, and asked again when its token is over or was refused.
//!
//! Nothing that it prints is repeated anywhere, neither in an error nor in a log: what goes wrong may stand
//! right beside the token.

mod printed_token;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use indexmap::IndexMap;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::Mutex;
use tokio::time::timeout;
use toolgate_sandbox::{Description, ProcessSpawner, SpawnConditions, SpawnError};
use toolgate_types::config::{InheritEnv, Stderr, TokenCommand};
use toolgate_types::{
    AuthProvider, ConfigText, EnvName, Secret, ServerId, Variables, since_1970, visible,
};
use tracing::debug;
use url::Url;
use zeroize::Zeroizing;

use crate::CredentialProviders;
use printed_token::PrintedToken;

/// A program that takes longer hangs, or waits for a person who is not there.
const PATIENCE: Duration = Duration::from_secs(30);

/// No token is longer.
const LONGEST: u64 = 64 << 10;

/// What a program that knows several servers may go by.
const SERVER_VARIABLE: &str = "TOOLGATE_SERVER";
const URL_VARIABLE: &str = "TOOLGATE_SERVER_URL";

/// The person's own programs that give tokens, by the id that entries name.
#[derive(Clone, Default)]
pub struct TokenCommandProviders(BTreeMap<String, Arc<TokenCommandProvider>>);

impl TokenCommandProviders {
    /// Those that are configured now. One that did not change keeps what it gave.
    pub fn replaced(
        &self,
        configured: &IndexMap<String, TokenCommand>,
        spawner: &ProcessSpawner,
        variables: &Arc<Variables>,
    ) -> Self {
        let provider = |(id, command): (&String, &TokenCommand)| {
            let known = self.0.get(id).filter(|known| known.is(command, variables));
            let provider = known.cloned().unwrap_or_else(|| {
                let (command, spawner) = (command.clone(), spawner.clone());
                let (variables, given) = (Arc::clone(variables), Mutex::default());
                Arc::new(TokenCommandProvider { command, spawner, variables, given })
            });
            (id.clone(), provider)
        };
        Self(configured.iter().map(provider).collect())
    }

    pub fn providers(&self) -> CredentialProviders {
        let providers = self.0.iter();
        providers.map(|(id, one)| (id.clone(), Arc::clone(one) as Arc<dyn AuthProvider>)).collect()
    }

    /// What makes two of them the same; for comparing alone, since it may hold secrets.
    pub(crate) fn described(&self, id: &str) -> String {
        self.0.get(id).map(|provider| description_of(&provider.command)).unwrap_or_default()
    }
}

impl std::fmt::Debug for TokenCommandProviders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// One such program.
struct TokenCommandProvider {
    command: TokenCommand,
    spawner: ProcessSpawner,
    variables: Arc<Variables>,
    /// What it gave, by the server's URL. Held while it runs: whoever comes meanwhile waits for the same.
    given: Mutex<BTreeMap<String, PrintedToken>>,
}

impl TokenCommandProvider {
    fn is(&self, command: &TokenCommand, variables: &Arc<Variables>) -> bool {
        description_of(&self.command) == description_of(command) && self.variables == *variables
    }

    async fn run(&self, server: &ServerId, url: &str) -> Result<PrintedToken, String> {
        let env = [(SERVER_VARIABLE, server.as_str()), (URL_VARIABLE, url)];
        let env = env.into_iter().filter_map(|(name, value)| {
            Some((EnvName::parse(name).ok()?, ConfigText::Plain(value.to_owned())))
        });
        let description = Description {
            program: self.command.program.clone(),
            args: self.command.args.clone(),
            // None of anybody's projects.
            folder: "/".into(),
            env: env.collect(),
            pass: Vec::new(),
            inherit: InheritEnv::Core,
            source: self.variables.iter().collect(),
        };
        let conditions =
            SpawnConditions { stderr: Stderr::Ignore, ..SpawnConditions::unconfined() };
        debug!(server = server.as_str(), "its provider's program is asked for a token");
        let said = timeout(PATIENCE, self.printed(&description, &conditions)).await;
        let said = said.map_err(|_| "its program gave no token in time".to_owned())??;
        PrintedToken::read(&said, since_1970(SystemTime::now())).map_err(str::to_owned)
    }

    async fn printed(
        &self,
        description: &Description,
        conditions: &SpawnConditions,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let spawned = self.spawner.spawn(description, conditions).await;
        let mut child = spawned.map_err(|error| match error {
            SpawnError::Program(error) => visible(&error.to_string()),
            _ => "its program cannot be started".to_owned(),
        })?;
        drop(child.stdin.take());
        let said = match child.stdout.take() {
            Some(stdout) => read_all(stdout).await,
            None => None,
        };
        let exit = child.wait().await;
        child.shutdown(Duration::from_secs(1)).await;
        if !exit.is_success() {
            return Err(format!("its program {exit}"));
        }
        said.ok_or_else(|| "its program printed too much".to_owned())
    }
}

/// None where it is too much, all of which is read for the program to end.
async fn read_all(mut from: impl AsyncRead + Unpin) -> Option<Zeroizing<Vec<u8>>> {
    let mut said = Zeroizing::new(Vec::new());
    let read = (&mut from).take(LONGEST + 1).read_to_end(&mut said).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    (read.is_ok() && said.len() as u64 <= LONGEST).then_some(said)
}

#[async_trait]
impl AuthProvider for TokenCommandProvider {
    async fn token(&self, server: &ServerId, url: &Url) -> Result<Secret, String> {
        // Whoever asks, and whatever was asked before.
        self.serves(url)?;
        let url = told(url);
        let mut given = self.given.lock().await;
        let now = since_1970(SystemTime::now());
        if let Some(known) = given.get(&url).filter(|known| known.holds(now)) {
            return Ok(known.token.clone());
        }
        let printed = self.run(server, &url).await?;
        let token = printed.token.clone();
        given.insert(url, printed);
        Ok(token)
    }

    async fn refused(&self, _: &ServerId, url: &Url) -> bool {
        self.given.lock().await.remove(&told(url)).is_some()
    }

    fn serves(&self, url: &Url) -> Result<(), String> {
        match self.command.serves(url) {
            true => Ok(()),
            false => {
                let origin = visible(&url.origin().ascii_serialization());
                Err(format!("{origin} is none of the origins that it is for"))
            }
        }
    }
}

/// A server's address as its program is told: without the query, where keys are often put.
fn told(url: &Url) -> String {
    let mut told = url.clone();
    told.set_query(None);
    told.to_string()
}

fn description_of(command: &TokenCommand) -> String {
    let TokenCommand { program, args, origins } = command;
    let words: Vec<&str> = [program].into_iter().chain(args).map(ConfigText::expose).collect();
    format!("{words:?} {origins:?}")
}
