//! What its walls refused a command: the rule where somebody saw it, and a guess by what the command says
//! where nobody did.

use toolgate_sandbox::WallRefusal;
use toolgate_types::config::{Confinement, SandboxProfile};
use toolgate_types::{NetworkDecision, NetworkRefusal, NetworkVerdict, visible};

use super::kept_output::KeptOutput;

/// How many hosts are told of: a program may try any number.
const MOST_HOSTS: usize = 5;

/// What programs say of a file that they may not write or read, and of a network that is not there.
const OF_FILES: [&str; 7] = [
    "permission denied",
    "read-only file system",
    "operation not permitted",
    "erofs",
    "eacces",
    "eperm",
    "permissionerror",
];
const OF_HIDDEN_FOLDERS: [&str; 4] =
    ["no such file", "directory nonexistent", "not found", "enoent"];
const OF_NETWORK: [&str; 10] = [
    "network is unreachable",
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "failed to lookup address",
    "no such host",
    "enetunreach",
    "eai_again",
    "enotfound",
];

/// What they say too of a host that may not be reached, where others may.
const OF_HOSTS: [&str; 5] =
    ["connection refused", "connection reset", "econnrefused", "econnreset", "proxy"];

/// What was seen while it ran.
#[derive(Debug, Default)]
pub(super) struct RefusedByWalls {
    walls: Vec<WallRefusal>,
    /// What a network of names did not let it reach, with why.
    hosts: Vec<(String, String)>,
}

impl RefusedByWalls {
    pub(super) fn new(walls: &[WallRefusal], network: &[NetworkDecision]) -> Self {
        let hosts = network.iter().filter_map(|decision| match &decision.verdict {
            // The network's own failures are no rule of ours.
            NetworkVerdict::Connected(_)
            | NetworkVerdict::Refused(NetworkRefusal::NotResolved | NetworkRefusal::NotReached) => {
                None
            }
            NetworkVerdict::Refused(why) => {
                let host = visible(&decision.host);
                let port = decision.port.map_or_else(String::new, |port| format!(":{port}"));
                Some((decision.host.clone(), format!("`{host}{port}` is not reached: {why}")))
            }
        });
        let hosts = hosts.take(MOST_HOSTS).collect();
        Self { walls: walls.to_vec(), hosts }
    }

    /// The rules that it fell over: seen, and of a kind that it complains about itself. A program may try
    /// much that it does not depend on, and fail for another reason.
    pub(super) fn rules(&self, kept: &KeptOutput) -> Option<String> {
        let complaint = kept.complaint();
        let walls = self.walls.iter().filter(|refusal| {
            let words = match refusal {
                WallRefusal::Protected(_) | WallRefusal::WriteOutside => OF_FILES.as_slice(),
                WallRefusal::WriteHidden => OF_HIDDEN_FOLDERS.as_slice(),
                WallRefusal::NetworkOff => OF_NETWORK.as_slice(),
            };
            sounds_of(&complaint, words)
        });
        let is_of_hosts = sounds_of(&complaint, &OF_NETWORK) || sounds_of(&complaint, &OF_HOSTS);
        let is_named = |host: &str| !host.is_empty() && complaint.contains(&host.to_lowercase());
        let hosts = self.hosts.iter().filter(|(host, _)| is_of_hosts || is_named(host));
        let hosts = hosts.map(|(_, rule)| rule.clone());
        joined(walls.map(ToString::to_string).chain(hosts))
    }

    /// What is said of a command that failed for a reason that nobody saw.
    pub(super) fn hint(&self, confinement: &Confinement, kept: &KeptOutput) -> Option<String> {
        let profile = confinement.profile;
        if profile == SandboxProfile::None {
            return None;
        }
        let complaint = kept.complaint();
        let hosts = self.hosts.iter().map(|(_, rule)| rule.clone());
        let why = match joined(self.walls.iter().map(ToString::to_string).chain(hosts)) {
            Some(rules) => format!("it refused: {rules}"),
            None if sounds_of(&complaint, &OF_NETWORK) => {
                "the network may be off for it: `allow_network` of its entry says so".to_owned()
            }
            None if sounds_of(&complaint, &OF_FILES) => {
                "it may write in the workspace and read what its entry names, and nothing else"
                    .to_owned()
            }
            None => return None,
        };
        Some(format!("[it ran in the sandbox profile `{profile}`: {why}]"))
    }
}

fn joined(rules: impl Iterator<Item = String>) -> Option<String> {
    let rules: Vec<String> = rules.collect();
    (!rules.is_empty()).then(|| rules.join("; "))
}

fn sounds_of(complaint: &str, words: &[&str]) -> bool {
    words.iter().any(|word| complaint.contains(word))
}
