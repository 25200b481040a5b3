//! What must be true after a step.

use serde::Deserialize;

use crate::support::World;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Expected {
    exit: Option<i32>,
    status: Option<u16>,
    /// How often a token was asked for by now.
    tokens: Option<usize>,
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    hides: Vec<String>,
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default)]
    present: Vec<String>,
}

/// What came of a step.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) text: String,
    pub(super) exit: Option<i32>,
    pub(super) status: Option<u16>,
    pub(super) tokens: Option<usize>,
}

impl Seen {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Expected {
    /// Whether a text has all that is to be shown, by now.
    pub(super) fn is_shown_in(&self, text: &str, fill: impl Fn(&str) -> String) -> bool {
        self.shows.iter().all(|words| text.contains(&fill(words)))
    }

    /// An error that says what is not so; texts pass `fill` first.
    pub(super) fn check(
        &self,
        seen: &Seen,
        world: &World,
        fill: impl Fn(&str) -> String,
    ) -> Result<(), String> {
        let Seen { text, exit, status, tokens } = seen;
        if let Some(exit) = exit
            && *exit != self.exit.unwrap_or(0)
        {
            return Err(format!("it exits with {exit}, not {}:\n{text}", self.exit.unwrap_or(0)));
        }
        if self.status.is_some() && self.status != *status {
            return Err(format!("the status is {status:?}, not {:?}:\n{text}", self.status));
        }
        if self.tokens.is_some() && self.tokens != *tokens {
            return Err(format!(
                "{tokens:?} tokens were asked for, not {:?}:\n{text}",
                self.tokens
            ));
        }
        for words in &self.shows {
            let words = fill(words);
            if !text.contains(&words) {
                return Err(format!("{words:?} is not shown:\n{text}"));
            }
        }
        for words in &self.hides {
            let words = fill(words);
            if text.contains(&words) {
                return Err(format!("{words:?} is shown:\n{text}"));
            }
        }
        if let Some(path) = self.absent.iter().find(|path| world.exists(path)) {
            return Err(format!("{path} is there"));
        }
        if let Some(path) = self.present.iter().find(|path| !world.exists(path)) {
            return Err(format!("{path} is not there"));
        }
        Ok(())
    }
}
