//! A project's entry was accepted with the files that its command names; they are looked at once more
//! right before it is started.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;
use toolgate_config::{LoadOptions, load};
use toolgate_host::{Guard, HelperPath, Host};
use toolgate_types::config::Config;
use toolgate_types::{Acceptances, AcceptedEntry, Code, EntryKind, ServerState, Trust};

use super::{TOOL, in_turn};
use crate::gate::{id, peer_path, within};
use crate::processes::call;

/// A project whose server is a script of its own, as it was cloned.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        let script = project.0.path().join("script.json");
        fs::write(&script, in_turn(&[&[TOOL]]).to_argument()).unwrap();
        project.write_server("# as it was");
        let entry = "[servers.files]\ncommand = \"./serve.sh\"\nsandbox_profile = \"none\"\n\
                     approval = \"approve\"\n";
        fs::write(project.0.path().join("toolgate.toml"), entry).unwrap();
        project
    }

    fn server(&self) -> PathBuf {
        self.0.path().join("serve.sh")
    }

    /// The server's own file, which tells when it runs.
    fn write_server(&self, comment: &str) {
        let (peer, folder) = (peer_path(), self.0.path());
        let text = format!(
            "#!/bin/sh\n{comment}\necho run >> '{0}/runs'\nexec '{1}' \"$(cat '{0}/script.json')\"\n",
            folder.display(),
            peer.display()
        );
        // Another file in its place, as editors and version control have it.
        let new = folder.join("new");
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(new, self.server()).unwrap();
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.0.path().join("runs")).unwrap_or_default().lines().count()
    }

    fn load(&self) -> Config {
        let mut options = LoadOptions::new(self.0.path());
        let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
        options.env = [("HOME".to_owned(), "/nowhere".to_owned()), path].into_iter().collect();
        let loaded = load(&options);
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        loaded.config
    }

    fn host(&self, config: Config) -> Host {
        let acceptances = accepted(&config);
        Host::builder()
            .guard(Guard::default())
            .helper(HelperPath::at(peer_path()))
            .workspace(self.0.path())
            .config(config)
            .acceptances(acceptances)
            .build()
    }
}

/// A person accepts what is there now.
fn accepted(config: &Config) -> Acceptances {
    let accept = |(id, entry): (&toolgate_types::ServerId, &toolgate_types::config::Entry<_>)| {
        AcceptedEntry {
            kind: EntryKind::Server,
            id: id.to_string(),
            fingerprint: entry.fingerprint.clone(),
            trust: Trust::Trusted,
            accepted_at: 0,
        }
    };
    Acceptances::new(config.servers.iter().map(accept).collect())
}

fn state(host: &Host) -> (ServerState, String) {
    let status = host.status().remove(0);
    (status.state, status.last_error.unwrap_or_default())
}

/// Shows: E-6.
#[tokio::test]
async fn a_repositorys_script_that_changed_since_it_was_read_is_not_started() {
    let project = Project::new();
    let host = project.host(project.load());
    project.write_server("# and more");
    let error = within(call(&host, "files", "read")).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{error}");
    assert!(!error.message.contains("serve.sh"), "{error}");
    let (now, why) = state(&host);
    assert_eq!((project.runs(), now), (0, ServerState::Error));
    for told in [&why, error.detail.as_deref().unwrap_or_default()] {
        assert!(told.contains("`./serve.sh` changed since its entry was accepted"), "{told}");
    }
    // Looked at again and not accepted, it is as pending as any other.
    let (now, before) = (project.load(), accepted(&Project::new().load()));
    within(host.reload(&now, &before, None)).await;
    assert_eq!(state(&host).0, ServerState::Pending);
    assert_eq!(within(call(&host, "files", "read")).await.unwrap_err().code, Code::NotFound);
    assert_eq!(project.runs(), 0);
    within(host.reload(&now, &accepted(&now), None)).await;
    assert!(within(call(&host, "files", "read")).await.is_ok());
    assert_eq!(project.runs(), 1);
    host.close_all().await;
}

#[tokio::test]
async fn one_that_is_as_it_was_is_started_again_and_one_that_changed_meanwhile_is_not() {
    let project = Project::new();
    let host = project.host(project.load());
    assert!(within(call(&host, "files", "read")).await.is_ok());
    project.write_server("# as it was");
    within(host.reconnect(&id("files"))).await;
    assert!(within(call(&host, "files", "read")).await.is_ok());
    assert_eq!(project.runs(), 2, "the same bytes in another file are the same");
    for change in ["replaced", "removed", "a link"] {
        match change {
            "replaced" => project.write_server("# another"),
            "removed" => fs::remove_file(project.server()).unwrap(),
            _ => std::os::unix::fs::symlink("/bin/true", project.server()).unwrap(),
        }
        within(host.reconnect(&id("files"))).await;
        assert_eq!((state(&host).0, project.runs()), (ServerState::Error, 2), "{change}");
    }
    host.close_all().await;
}
