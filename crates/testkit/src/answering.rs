//! Someone who answers a server's questions as the test says.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::{Asker, QuestionAnswer, QuestionKind, ServerQuestion};

/// Answers the kinds it has an answer for, and remembers what was asked.
#[derive(Debug, Default)]
pub struct Answering {
    answers: HashMap<QuestionKind, String>,
    asked: Mutex<Vec<(QuestionKind, Option<String>)>>,
}

impl Answering {
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers every question of this kind with this JSON.
    pub fn with(mut self, kind: QuestionKind, answer: &str) -> Self {
        self.answers.insert(kind, answer.to_owned());
        self
    }

    /// What was asked, with its parameters.
    pub fn asked(&self) -> Vec<(QuestionKind, Option<String>)> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Asker for Answering {
    fn answers(&self, kind: QuestionKind) -> bool {
        self.answers.contains_key(&kind)
    }

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer {
        let params = question.params.map(|params| params.get().to_owned());
        self.asked.lock().unwrap().push((question.kind, params));
        match self.answers.get(&question.kind) {
            Some(answer) => {
                QuestionAnswer::Answered(RawValue::from_string(answer.clone()).unwrap())
            }
            None => QuestionAnswer::NoChannel,
        }
    }
}
