//! A provider of credentials as the test says.

use std::sync::Mutex;

use async_trait::async_trait;
use toolgate_types::{AuthProvider, Secret, ServerId};
use url::Url;

/// Gives its first token until that is refused, then the next.
#[derive(Debug)]
pub struct Tokens(Mutex<State>);

#[derive(Debug)]
struct State {
    tokens: Vec<String>,
    asked: Vec<ServerId>,
    refusals: usize,
}

impl Tokens {
    pub fn new(tokens: &[&str]) -> Self {
        let tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        Self(Mutex::new(State { tokens, asked: Vec::new(), refusals: 0 }))
    }

    /// The servers that a token was asked for, each time again.
    pub fn asked(&self) -> Vec<ServerId> {
        self.0.lock().unwrap().asked.clone()
    }

    /// How often it was told that a token was refused.
    pub fn refusals(&self) -> usize {
        self.0.lock().unwrap().refusals
    }
}

#[async_trait]
impl AuthProvider for Tokens {
    async fn token(&self, server: &ServerId, _: &Url) -> Result<Secret, String> {
        let mut state = self.0.lock().unwrap();
        state.asked.push(server.clone());
        match state.tokens.get(state.refusals) {
            Some(token) => Ok(Secret::new(token.clone())),
            None => Err("nobody is logged in".to_owned()),
        }
    }

    async fn refused(&self, _: &ServerId, _: &Url) -> bool {
        let mut state = self.0.lock().unwrap();
        state.refusals += 1;
        state.refusals < state.tokens.len()
    }
}
