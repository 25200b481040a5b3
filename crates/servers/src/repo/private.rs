//! What is never served, wherever it lies and by whatever name it is reached: known by what it is on
//! the disk, so that no link, mount or second name leads to it.
//!
//! Names that usually hold secrets are the matter of `rules`. A file with several names is looked at
//! here: package stores give one to everything, so that alone says nothing.

mod credentials;

use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::stat::FileStat;

pub(crate) const OWN: &str = "Toolgate's own state and configuration are not served";
const LINK: &str = "it is another name of a file that holds secrets";
const SYSTEM: &str = "what the system says about processes is not served";

/// What processes were started with, tokens among it.
const PROCESSES: &str = "/proc";

/// How long it is believed which files hold secrets.
const BELIEVED: Duration = Duration::from_secs(10);

/// Where private things are. It is handed in by whoever knows the machine: no environment is asked
/// here.
#[derive(Debug, Clone, Default)]
pub struct PrivatePlaces {
    /// Files and folders of Toolgate's own: state, configuration, sockets.
    pub own: Vec<PathBuf>,
    /// The person's home, where programs keep their credentials.
    pub home: Option<PathBuf>,
}

/// A file or folder, whatever its names: device and inode.
pub(crate) type InodeIdentity = (u64, u64);

#[derive(Debug, Default)]
pub(crate) struct PrivateFiles {
    places: PrivatePlaces,
    /// Files that hold secrets, and when they were looked up.
    secret: Mutex<Option<(Instant, Arc<HashSet<InodeIdentity>>)>>,
}

impl PrivateFiles {
    pub(crate) fn new(places: PrivatePlaces) -> Self {
        Self { places, secret: Mutex::default() }
    }

    /// As things are for one call.
    pub(crate) fn now(self: &Arc<Self>) -> PrivateNow {
        let identities = self.places.own.iter().filter_map(|path| identity_at(path));
        let own = identities.collect();
        PrivateNow { own, processes: identity_at(Path::new(PROCESSES)), files: Arc::clone(self) }
    }

    /// Whether a whole folder is Toolgate's own.
    pub(crate) fn holds(&self, real: &Path) -> bool {
        let own = self.places.own.iter().filter_map(|path| path.canonicalize().ok());
        own.into_iter().any(|own| real.starts_with(own))
    }

    fn secret(&self) -> Arc<HashSet<InodeIdentity>> {
        // It is replaced as a whole, so a panic elsewhere left it whole.
        let mut known = self.secret.lock();
        if let Some((since, secret)) = &*known
            && since.elapsed() < BELIEVED
        {
            return Arc::clone(secret);
        }
        let secret = Arc::new(credentials::look_up(&self.places));
        *known = Some((Instant::now(), Arc::clone(&secret)));
        secret
    }
}

/// What is private while one call runs.
#[derive(Debug)]
pub(crate) struct PrivateNow {
    own: HashSet<InodeIdentity>,
    processes: Option<InodeIdentity>,
    files: Arc<PrivateFiles>,
}

impl PrivateNow {
    /// The rule that refuses a folder and all below it.
    pub(crate) fn refuses_folder(&self, stat: &FileStat) -> Option<&'static str> {
        let identity = identity_of(stat);
        if self.own.contains(&identity) {
            return Some(OWN);
        }
        (self.processes == Some(identity)).then_some(SYSTEM)
    }

    /// The rule that refuses a file.
    pub(crate) fn refuses_file(&self, stat: &FileStat) -> Option<&'static str> {
        let identity = identity_of(stat);
        if self.own.contains(&identity) {
            return Some(OWN);
        }
        (stat.st_nlink > 1 && self.files.secret().contains(&identity)).then_some(LINK)
    }
}

fn identity_at(path: &Path) -> Option<InodeIdentity> {
    nix::sys::stat::stat(path).ok().as_ref().map(identity_of)
}

#[allow(clippy::unnecessary_cast, reason = "their widths differ from system to system")]
fn identity_of(stat: &FileStat) -> InodeIdentity {
    (stat.st_dev as u64, stat.st_ino as u64)
}
