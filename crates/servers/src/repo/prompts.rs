//! Words that a person chooses for their agent: to review a change, to explain a file, and so on.
//!
//! A prompt names tools and reads nothing itself: what the agent then does is seen and decided call by call.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_types::{Prompt, PromptArgument, PromptRefusal};

/// The longest thing that is put into the words of a prompt.
const LONGEST: usize = 1_000;

struct RepoPrompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [PromptArgument],
    words: fn(&PromptWordsGiven<'_>) -> String,
}

/// What the person gave, quoted: it is what the prompt is about, and no part of what it says.
struct PromptWordsGiven<'a>(&'a BTreeMap<String, String>);

impl PromptWordsGiven<'_> {
    fn quoted(&self, name: &str) -> Option<String> {
        let given = self.0.get(name).map(|given| given.trim()).filter(|given| !given.is_empty())?;
        Some(format!("`{}`", given.replace('`', "'")))
    }

    fn or(&self, name: &str, otherwise: &str) -> String {
        self.quoted(name).unwrap_or_else(|| otherwise.to_owned())
    }
}

/// The prompts of this server.
pub(super) fn prompts() -> Vec<Arc<dyn Prompt>> {
    const FILE: PromptArgument = PromptArgument {
        name: "path",
        description: "The file, relative to the folder.",
        required: true,
    };
    let all: [RepoPrompt; 4] = [
        RepoPrompt {
            name: "review_change",
            title: "Review a change",
            description: "Reviews what changed in the folder, or since a commit.",
            arguments: &[
                PromptArgument {
                    name: "since",
                    description: "A commit, branch or tag; what is not committed if left out.",
                    required: false,
                },
                PromptArgument {
                    name: "focus",
                    description: "What to look at most.",
                    required: false,
                },
            ],
            words: |given| {
                let what = given.quoted("since").map_or_else(
                    || "the changes in this repository that are not committed yet".to_owned(),
                    |since| format!("everything that changed in this repository since {since}"),
                );
                let focus = given.quoted("focus");
                let focus =
                    focus.map(|focus| format!(" Look most at {focus}.")).unwrap_or_default();
                format!(
                    "Review {what}.{focus} Read the diff, and around each change as much of the \
                     code as you need to judge it. Say first what the change does. Then list what \
                     is wrong, worst first: each with file and line, what happens, and what to do \
                     instead. Leave out matters of taste. Say so if nothing is wrong. Change \
                     nothing."
                )
            },
        },
        RepoPrompt {
            name: "explain_file",
            title: "Explain a file",
            description: "Explains a file: what it is for, how it works, who uses it.",
            arguments: &[FILE],
            words: |given| {
                let path = given.or("path", "the file");
                format!(
                    "Explain {path} to somebody who knows the language and not this repository: \
                     what it is for, how it works from its entry points on, who uses it (search \
                     for that), and what one has to know before changing it. Name lines. Change \
                     nothing."
                )
            },
        },
        RepoPrompt {
            name: "find_cause",
            title: "Find the cause",
            description: "Finds where in the folder an error or a wrong behaviour comes from.",
            arguments: &[PromptArgument {
                name: "symptom",
                description: "An error message, or what happens and what should.",
                required: true,
            }],
            words: |given| {
                let symptom = given.or("symptom", "the error");
                format!(
                    "Find out where this comes from: {symptom}. Search for the words of it, read \
                     what could lead there, and follow it back to its cause. Give the cause with \
                     file and line, the way from there to the symptom, and the smallest change \
                     that mends it; say what you could not make sure of. Change nothing yet."
                )
            },
        },
        RepoPrompt {
            name: "write_tests",
            title: "Plan tests for a file",
            description: "Says which tests a file lacks, in the way this repository writes them.",
            arguments: &[FILE],
            words: |given| {
                let path = given.or("path", "the file");
                format!(
                    "Look at {path} and at the tests that there are for it and beside it. List the \
                     behaviours that no test would miss if they broke, the riskiest first, and \
                     write the first few tests in the way this repository writes its own."
                )
            },
        },
    ];
    all.into_iter().map(|prompt| Arc::new(prompt) as Arc<dyn Prompt>).collect()
}

#[async_trait]
impl Prompt for RepoPrompt {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn description(&self) -> &str {
        self.description
    }

    fn arguments(&self) -> &[PromptArgument] {
        self.arguments
    }

    async fn get(&self, arguments: &BTreeMap<String, String>) -> Result<String, PromptRefusal> {
        for (name, given) in arguments {
            if !self.arguments.iter().any(|known| known.name == name) {
                return Err(PromptRefusal(format!("`{name}` is no argument of this prompt")));
            }
            if given.len() > LONGEST {
                return Err(PromptRefusal(format!("`{name}` is longer than {LONGEST} bytes")));
            }
        }
        Ok((self.words)(&PromptWordsGiven(arguments)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: S1-88.
    #[tokio::test]
    async fn every_prompt_says_what_it_is_about() {
        for prompt in prompts() {
            let mut given: BTreeMap<String, String> = BTreeMap::new();
            for argument in prompt.arguments() {
                given.insert(argument.name.to_owned(), "a`b".to_owned());
            }
            let words = prompt.get(&given).await.unwrap();
            let quoted = words.matches("`a'b`").count();
            assert_eq!(quoted, prompt.arguments().len(), "{words}");
            given.insert("other".to_owned(), String::new());
            assert!(prompt.get(&given).await.is_err());
            let long = prompt.arguments()[0].name.to_owned();
            assert!(prompt.get(&BTreeMap::from([(long, "x".repeat(1001))])).await.is_err());
        }
        let review = &prompts()[0];
        assert_eq!(review.name(), "review_change");
        assert!(review.get(&BTreeMap::new()).await.unwrap().contains("not committed yet"));
    }
}
