//! What the administrator of this machine has laid down, for the host. A file that cannot be read
//! stops everything that would be decided by it.

use std::path::Path;

use toolgate_config::{ADMINISTRATOR_FILE, AdministratorFile, AllowedServer, read_administrator};
use toolgate_guard::{Administrator, ServerRule};

/// The administrator's rules are there and cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the administrator's rules cannot be used: {why}")]
pub struct UnusableRules {
    why: String,
}

impl UnusableRules {
    /// What follows from it.
    pub fn hint(&self) -> &'static str {
        "nothing is started or called until they can be read"
    }
}

/// The administrator's rules; `None` where there are none.
pub fn administrator() -> Result<Option<Administrator>, UnusableRules> {
    of_file(Path::new(ADMINISTRATOR_FILE))
}

fn of_file(path: &Path) -> Result<Option<Administrator>, UnusableRules> {
    let Some(file) = read_administrator(path).map_err(|error| unusable(&error))? else {
        return Ok(None);
    };
    let AdministratorFile { allowed_servers, deny_tools, force_approval, rules, origins } = file;
    let rule = |server: &AllowedServer| match server {
        AllowedServer::Command(words) => ServerRule::command(words.clone()),
        AllowedServer::Url(url) => ServerRule::url(url),
    };
    let allowed = allowed_servers.map(|all| all.iter().map(rule).collect::<Result<Vec<_>, _>>());
    let allowed_servers = allowed.transpose().map_err(|error| unusable(&error))?;
    Ok(Some(Administrator { allowed_servers, deny_tools, force_approval, rules, origins }))
}

fn unusable(error: &dyn std::error::Error) -> UnusableRules {
    UnusableRules { why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_what_cannot_be_read_stops_everything() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        assert!(of_file(&path).is_ok_and(|rules| rules.is_none()));
        let text = "deny_tools = [\"x\"]\n[[allowed_servers]]\nurl = \"https://a.example/mcp\"\n";
        std::fs::write(&path, text).unwrap();
        let rules = of_file(&path).ok().flatten().unwrap();
        assert_eq!((rules.deny_tools.len(), rules.allowed_servers.unwrap().len()), (1, 1));
        for bad in ["deny_tools = 7", "[[allowed_servers]]\nurl = \"not a url\"\n"] {
            std::fs::write(&path, bad).unwrap();
            assert!(of_file(&path).is_err(), "{bad}");
        }
    }
}
