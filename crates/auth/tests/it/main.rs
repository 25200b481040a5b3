//! Tokens of callers against a real store. Two stores on one folder are two processes: they share
//! nothing but the files.
//!
//! This file holds what the modules share and tests nothing itself.

#![allow(clippy::unwrap_used, reason = "clippy.toml exempts tests, not what tests share")]

mod first;
mod making;
mod verifying;

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use toolgate_auth::callers::{ClientTokens, NewToken, TokenRefusal};
use toolgate_store::{SqliteStore, TokenName};

const NOW: u64 = 1_800_000_000_000;

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The tokens as one process has them.
fn process(state: &Path) -> ClientTokens {
    ClientTokens::new(Arc::new(SqliteStore::open(state).unwrap()))
}

fn name(text: &str) -> TokenName {
    TokenName::parse(text).unwrap()
}

fn new(text: &str) -> NewToken {
    NewToken {
        name: name(text),
        roles: None,
        client: None,
        shows_forms: false,
        is_owners: false,
        expires_at: None,
    }
}

/// Makes a token and answers its text.
fn made(tokens: &ClientTokens, token: NewToken) -> String {
    wait(tokens.create(token, NOW)).unwrap().0.expose().to_owned()
}

/// The name of whom a text stands for.
fn verified(tokens: &ClientTokens, text: &str, now: u64) -> Result<String, TokenRefusal> {
    wait(tokens.verify(text, now)).map(|caller| caller.name().to_string())
}
