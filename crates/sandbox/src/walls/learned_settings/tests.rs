//! From a run that is made up to settings; real runs are among the tests of the walls.

use std::fs;

use toolgate_types::NetworkDecision;
use toolgate_types::config::{NetworkAccess, ResourceLimits, SandboxProfile};

use super::*;

struct LearnedWorld {
    _folder: tempfile::TempDir,
    at: PathBuf,
    ground: SandboxGround,
    room: SandboxRoom,
}

impl LearnedWorld {
    /// Not below `/tmp`, where what is made is nobody's.
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let at = folder.path().canonicalize().unwrap();
        for name in ["home/.ssh", "home/.config/gh", "state", "work/.git", "data/deep"] {
            fs::create_dir_all(at.join(name)).unwrap();
        }
        let ground = SandboxGround {
            home: Some(at.join("home")),
            hidden: vec![at.join("state")],
            ..SandboxGround::default()
        };
        let room = SandboxRoom { workspace: Some(at.join("work")), ..SandboxRoom::default() };
        Self { _folder: folder, at, ground, room }
    }

    fn at(&self, names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(|name| self.at.join(name)).collect()
    }

    fn settings(&self, learned: &LearnedAccess) -> LearnedSettings {
        let confinement = Confinement {
            profile: SandboxProfile::Default,
            network: NetworkAccess::Off,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits::default(),
        };
        LearnedSettings::of(learned, &confinement, &self.ground, &self.room).unwrap()
    }

    fn paths(&self, names: &[&str]) -> Vec<String> {
        names.iter().map(|name| self.at.join(name).display().to_string()).collect()
    }
}

#[test]
fn what_is_seen_anyway_needs_no_words_and_many_files_are_their_folder() {
    let world = LearnedWorld::new();
    let mut read = world.at(&["work/a", "data/deep/1", "data/deep/2", "data/deep/3", "home/one"]);
    read.extend(["/usr/bin/env", "/etc/passwd", "/proc/self/maps", "/dev/null"].map(PathBuf::from));
    read.extend(world.at(&["home/.cargo/registry/x", "home/.rustup/toolchains/y"]));
    let settings = world.settings(&LearnedAccess { read, ..LearnedAccess::default() });
    let deep = world.at.join("data/deep").display().to_string();
    assert_eq!(settings.readable, ["@cargo".to_owned(), deep, "~/one".to_owned()]);
    assert!(settings.writable.is_empty() && settings.remarks.is_empty(), "{settings:?}");
}

/// Whatever was tried: nothing secret is opened, nor a folder that has something secret in it.
#[test]
fn credentials_and_our_own_files_are_never_proposed() {
    let world = LearnedWorld::new();
    let secrets = ["home/.ssh/id", "home/.config/gh/hosts.yml", "home/.netrc", "state/state.db"];
    let beside = ["home/.config/a", "home/.config/b", "home/.config/c"];
    let read = world.at(&[secrets.as_slice(), &beside, &["state", "home", "home/.ssh"]].concat());
    let written = world.at(&["home/.ssh/id", "home/.bashrc", "work/.git/hooks/x", "work/.envrc"]);
    let made = world.at(&["home/.local/bin/x", "home/.cargo/bin/y"]);
    let learned = LearnedAccess { read, written, made, ..LearnedAccess::default() };
    let settings = world.settings(&learned);
    assert_eq!(settings.readable, ["~/.config/a", "~/.config/b", "~/.config/c"]);
    assert!(settings.writable.is_empty(), "{settings:?}");
    assert!(settings.remarks.contains(&"it reads ~/.ssh/id, which stays closed".to_owned()));
}

#[test]
fn what_is_made_needs_the_folder_that_was_there() {
    let world = LearnedWorld::new();
    let made = world.at(&[
        "data/new",
        "data/new/deeper",
        "data/new/deeper/file",
        "home/.cache",
        "home/.cache/tool",
        "home/.cache/tool/file",
        "work/out",
        "work/.git/index.lock",
    ]);
    let mut learned = LearnedAccess { made, ..LearnedAccess::default() };
    learned.made.insert(PathBuf::from("/tmp/of-nobody"));
    // What it made itself it may read wherever it may write.
    learned.read = world.at(&["data/new/deeper/file", "home/.cache/tool/file"]);
    let settings = world.settings(&learned);
    let mut expected = world.paths(&["data"]);
    expected.extend(["~/.cache".to_owned(), ".git".to_owned()]);
    assert_eq!(settings.writable, expected);
    assert!(settings.readable.is_empty(), "{settings:?}");
}

#[test]
fn hosts_are_named_and_private_ones_never() {
    let world = LearnedWorld::new();
    let decision =
        |host: &str, port, verdict| NetworkDecision { host: host.to_owned(), port, verdict };
    let connected = NetworkVerdict::Connected("93.184.216.34:443".parse().unwrap());
    let private = NetworkRefusal::ForbiddenAddress("10.0.0.1".parse().unwrap());
    let learned = LearnedAccess {
        hosts: vec![
            decision("api.example.com", Some(443), connected.clone()),
            decision("api.example.com", None, connected),
            decision("intern.example.com", Some(443), NetworkVerdict::Refused(private)),
        ],
        connected: ["198.18.0.1:443", "127.0.0.1:3128", "192.168.1.1:80", "93.184.216.34:8443"]
            .map(|address| address.parse().unwrap())
            .into(),
        ..LearnedAccess::default()
    };
    let settings = world.settings(&learned);
    assert_eq!(settings.network, ["93.184.216.34:8443", "api.example.com:443"]);
    assert_eq!(
        settings.to_toml(),
        "readable = []\nwritable = []\n\
         allow_network = [\"93.184.216.34:8443\", \"api.example.com:443\"]\n\
         # 93.184.216.34:8443 is an address: a name would be better\n\
         # it wants 192.168.1.1, which is a private address and stays closed\n\
         # it wants intern.example.com, which is a private address and stays closed\n"
    );
}
