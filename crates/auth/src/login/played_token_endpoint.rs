//! A token endpoint for tests: gives one answer, and remembers what it was sent.

use std::collections::BTreeMap;

use async_trait::async_trait;
use http::{Request, Response};
use parking_lot::Mutex;
use serde_json::Value;

use super::{FetchFailure, GuardedFetch};

pub(super) struct PlayedTokenEndpoint {
    answer: Value,
    sent: Mutex<Vec<BTreeMap<String, String>>>,
}

impl PlayedTokenEndpoint {
    pub(super) fn answering(answer: Value) -> Self {
        Self { answer, sent: Mutex::default() }
    }

    /// The forms that it was sent.
    pub(super) fn sent(&self) -> Vec<BTreeMap<String, String>> {
        self.sent.lock().clone()
    }
}

#[async_trait]
impl GuardedFetch for PlayedTokenEndpoint {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, FetchFailure> {
        let form = url::form_urlencoded::parse(request.body()).into_owned().collect();
        self.sent.lock().push(form);
        Ok(Response::new(self.answer.to_string().into_bytes()))
    }
}
