//! The words with which a shim and the daemon find each other, before the first message of the
//! protocol and, rarely, between two. Each is one line of JSON that begins with `{"toolgate":`, as no
//! message does.
//!
//! What a shim says is a project's word: whoever wrote the client's entry wrote its arguments.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Which words these are. Another number is another language.
pub const PROTOCOL: u32 = 1;

/// The longest line of these; a variable can be long.
pub const LONGEST: usize = 4 << 20;

/// How a line of ours begins.
pub const MARK: &[u8] = b"{\"toolgate\":";

/// What a shim says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "toolgate", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromShim {
    /// First of all.
    Hello(Box<ShimHello>),
    /// The variables that were wanted, as far as they are set.
    Variables { values: BTreeMap<String, String> },
    /// It is newer than the daemon and would take another.
    Retire,
}

/// Who attaches, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShimHello {
    pub protocol: u32,
    pub version: String,
    /// The folder that the agent works in.
    pub workspace: PathBuf,
    /// A role, or `workflow/role/step`: in one text, since a daemon that knew no steps would take a
    /// role beside one for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The settings that hold for it, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// A project file that was named instead of searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PathBuf>,
    /// A configuration that was given as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
}

/// What the daemon says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "toolgate", rename_all = "snake_case", deny_unknown_fields)]
pub enum FromDaemon {
    /// Who it is, and the variables that the configuration takes from the caller's environment. Said
    /// once more whenever other ones are wanted.
    Wants { version: String, pid: u32, variables: Vec<String> },
    /// From here on the protocol itself is spoken.
    Attached,
    /// It ends, and another can be started.
    Retiring,
    /// Others use it, so it stays.
    Busy,
    Refused {
        why: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
}

/// One of these as a line.
pub fn line(word: &impl Serialize) -> Vec<u8> {
    // Texts and numbers: nothing here can fail to be written.
    let mut line = serde_json::to_vec(word).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_begins_with_the_mark_and_is_read_back() {
        let hello = ShimHello {
            protocol: PROTOCOL,
            version: "1.2.3".to_owned(),
            workspace: "/w".into(),
            role: Some("reader".to_owned()),
            client: None,
            config: None,
            inline: None,
        };
        let values = BTreeMap::from([("TOKEN".to_owned(), "x\ny".to_owned())]);
        let said =
            [FromShim::Hello(hello.into()), FromShim::Variables { values }, FromShim::Retire];
        for word in said {
            let written = line(&word);
            assert!(written.starts_with(MARK));
            assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert_eq!(serde_json::from_slice::<FromShim>(&written).unwrap(), word);
        }
        let variables = vec!["TOKEN".to_owned()];
        let refused = FromDaemon::Refused { why: "no".to_owned(), hint: None };
        let wants = FromDaemon::Wants { version: "1.2.3".to_owned(), pid: 3, variables };
        for word in [wants, FromDaemon::Attached, FromDaemon::Retiring, FromDaemon::Busy, refused] {
            let written = line(&word);
            assert!(written.starts_with(MARK));
            assert_eq!(serde_json::from_slice::<FromDaemon>(&written).unwrap(), word);
        }
    }
}
