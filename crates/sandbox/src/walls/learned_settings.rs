//! From what a run used to the words of an entry that would let it: what the walls would show anyway is left
//! out, many files become their folder, and what nobody should open is never proposed.

mod gathered;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use toolgate_types::config::{Confinement, NamedHost};
use toolgate_types::{NetworkRefusal, NetworkVerdict, is_public_address, visible};

use super::folder_view::{PIECES, real, show_folders};
use super::private_places::{run_later, secret};
use super::root_view::{RootView, SHARED_SCRATCH, SeenPlace};
use super::system_view;
use crate::learned::LearnedAccess;
use crate::network::AddressPool;
use crate::{SandboxGround, SandboxRoom, WallError};

/// What an entry would say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedSettings {
    pub readable: Vec<String>,
    pub writable: Vec<String>,
    /// Hosts by name where that is known, else by address.
    pub network: Vec<String>,
    /// What was used and is not proposed, and why.
    pub remarks: Vec<String>,
}

impl LearnedSettings {
    /// What walls by this confinement do not let through already.
    pub fn of(
        learned: &LearnedAccess,
        confinement: &Confinement,
        ground: &SandboxGround,
        room: &SandboxRoom,
    ) -> Result<Self, WallError> {
        let mut view = RootView::default();
        system_view::show_system(&mut view);
        show_folders(&mut view, confinement, ground, room)?;
        let place = |path: &Option<PathBuf>| path.as_deref().map(real).transpose();
        let proposer = SettingsProposer {
            view,
            home: place(&ground.home)?,
            workspace: place(&room.workspace)?,
            secret: secret(ground),
            run_later: run_later(ground),
        };
        let mut settings = Self::default();
        proposer.files(learned, &mut settings);
        hosts(learned, &mut settings);
        Ok(settings)
    }

    /// As an entry has it, with what is not proposed in comments.
    pub fn to_toml(&self) -> String {
        let list = |words: &[String]| {
            let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            format!("[{}]", quoted.join(", "))
        };
        let network = match self.network.as_slice() {
            [] => "false".to_owned(),
            hosts => list(hosts),
        };
        let mut text = format!(
            "readable = {}\nwritable = {}\nallow_network = {network}\n",
            list(&self.readable),
            list(&self.writable)
        );
        self.remarks.iter().for_each(|remark| text.push_str(&format!("# {remark}\n")));
        text
    }
}

struct SettingsProposer {
    /// What is seen without any more words.
    view: RootView,
    home: Option<PathBuf>,
    workspace: Option<PathBuf>,
    secret: Vec<PathBuf>,
    run_later: Vec<PathBuf>,
}

impl SettingsProposer {
    fn files(&self, learned: &LearnedAccess, settings: &mut LearnedSettings) {
        let is_old = |path: &&PathBuf| !path.ancestors().any(|above| learned.made.contains(above));
        let mut remarks = BTreeSet::new();
        let mut needs = |places: BTreeSet<PathBuf>, may: &dyn Fn(&Path) -> bool, verb: &str| {
            let (open, closed): (BTreeSet<_>, BTreeSet<_>) =
                places.into_iter().partition(|place| may(place) && word_of(place).is_some());
            remarks.extend(closed.iter().map(|place| {
                let place = visible(&self.short(place));
                format!("it {verb} {place}, which stays closed")
            }));
            open
        };
        let written = learned.written.iter().filter(is_old).cloned();
        let made = learned.made.iter().filter_map(|path| self.made_in(path, &learned.made));
        let written =
            written.chain(made).filter(|place| self.is_closed_to_writing(place)).collect();
        let may_write = |place: &Path| self.may_write(place);
        let written = gathered::gathered(needs(written, &may_write, "writes to"), may_write);
        let links = learned.links.iter().filter_map(|link| link.parent()).map(Path::to_owned);
        let read = learned.read.iter().filter(is_old).cloned().chain(links);
        let is_written = |path: &PathBuf| path.ancestors().any(|above| written.contains(above));
        let read = read.filter(|path| self.is_unseen(path) && !is_written(path)).collect();
        let may_read = |place: &Path| self.may_read(place);
        let (pieces, read) = self.pieces(needs(read, &may_read, "reads"));
        let read = gathered::gathered(read, may_read);
        settings.readable = pieces.into_iter().map(str::to_owned).collect();
        settings.readable.extend(read.iter().map(|place| self.short(place)));
        settings.writable = written.iter().map(|place| self.short(place)).collect();
        settings.remarks.extend(remarks);
    }

    /// The folder that a new name came into, as it was before. Scratch folders are everybody's anyway.
    fn made_in(&self, path: &Path, made: &BTreeSet<PathBuf>) -> Option<PathBuf> {
        if SHARED_SCRATCH.iter().any(|scratch| self.is_scratch(path, Path::new(scratch))) {
            return None;
        }
        let folder = path.ancestors().skip(1).find(|above| !made.contains(*above))?;
        // A name right in the home cannot have its folder.
        match self.home.as_deref() == Some(folder) {
            true => Some(path.to_owned()),
            false => Some(folder.to_owned()),
        }
    }

    fn is_scratch(&self, path: &Path, scratch: &Path) -> bool {
        path.starts_with(scratch)
            && matches!(self.view.nearest(path), Some(SeenPlace::Scratch))
            && !self.home.as_ref().is_some_and(|home| path.starts_with(home))
    }

    fn is_closed_to_writing(&self, path: &Path) -> bool {
        let is_device = ["/dev", "/proc"].iter().any(|device| path.starts_with(device));
        !is_device
            && !matches!(self.view.nearest(path), Some(SeenPlace::Real { is_writable: true, .. }))
    }

    fn is_unseen(&self, path: &Path) -> bool {
        let is_own = ["/dev", "/proc", "/sys"].iter().any(|own| path.starts_with(own));
        // The folders above a place are there with it.
        let is_above =
            |place: &Option<PathBuf>| place.as_ref().is_some_and(|it| it.starts_with(path));
        !is_own
            && !self.view.shows_real(path)
            && !is_above(&self.home)
            && !is_above(&self.workspace)
            && !SHARED_SCRATCH.iter().any(|scratch| path == Path::new(scratch))
    }

    /// Nothing secret in it, nor is it in anything secret; no whole home, nor one that holds everybody's.
    fn may_read(&self, place: &Path) -> bool {
        let is_apart = |other: &PathBuf| !place.starts_with(other) && !other.starts_with(place);
        let is_wide = self.home.as_ref().is_some_and(|home| {
            home.starts_with(place)
                || [".config", ".local", ".local/share"].iter().any(|name| home.join(name) == place)
        });
        // `/`, and what lies right in it.
        let is_top = place.components().count() < 3;
        self.secret.iter().all(is_apart) && !is_wide && !is_top
    }

    fn may_write(&self, place: &Path) -> bool {
        let is_apart = |other: &PathBuf| !place.starts_with(other) && !other.starts_with(place);
        let is_git = self.workspace.as_ref().is_some_and(|it| place == it.join(".git"));
        let is_in_workspace = self.workspace.as_ref().is_some_and(|it| place.starts_with(it));
        let is_of_system =
            matches!(self.view.nearest(place), Some(SeenPlace::Real { is_writable: false, .. }));
        self.may_read(place)
            && self.run_later.iter().all(is_apart)
            && (is_git || (!is_in_workspace && !is_of_system))
    }

    /// What a known piece opens, by its name, and the rest.
    fn pieces(&self, read: BTreeSet<PathBuf>) -> (BTreeSet<&'static str>, BTreeSet<PathBuf>) {
        let mut pieces = BTreeSet::new();
        let rest = read.into_iter().filter(|path| {
            let piece = PIECES.iter().find(|(_, folders)| {
                let folder = |folder: &&str| Some(self.home.as_ref()?.join(folder));
                folders.iter().filter_map(folder).any(|folder| path.starts_with(folder))
            });
            pieces.extend(piece.map(|(name, _)| *name));
            piece.is_none()
        });
        let rest = rest.collect();
        (pieces, rest)
    }

    /// As a person writes it.
    fn short(&self, place: &Path) -> String {
        let below = |folder: &Option<PathBuf>| {
            Some(place.strip_prefix(folder.as_ref()?).ok()?.display().to_string())
        };
        if let Some(word) = below(&self.workspace) {
            return word;
        }
        match below(&self.home) {
            Some(word) => format!("~/{word}"),
            None => place.display().to_string(),
        }
    }
}

/// A place that can be written as it is.
fn word_of(place: &Path) -> Option<&str> {
    place.to_str().filter(|word| visible(word) == *word && !word.contains(['"', '\\']))
}

fn hosts(learned: &LearnedAccess, settings: &mut LearnedSettings) {
    let mut named = BTreeSet::new();
    let mut remarks = BTreeSet::new();
    for decision in &learned.hosts {
        let (host, port) = (visible(&decision.host), decision.port);
        let (Some(port), false) = (port, host.is_empty()) else { continue };
        match &decision.verdict {
            NetworkVerdict::Refused(NetworkRefusal::ForbiddenAddress(_)) => {
                remarks.insert(format!(
                    "it wants {host}, which is a private address and stays closed"
                ));
            }
            NetworkVerdict::Connected(_) | NetworkVerdict::Refused(NetworkRefusal::NotReached) => {
                match NamedHost::parse(&format!("{host}:{port}")) {
                    Ok(host) => drop(named.insert(host.to_string())),
                    Err(why) => drop(remarks.insert(format!("it wants {host}: {why}"))),
                }
            }
            NetworkVerdict::Refused(why) => {
                remarks.insert(format!("it wants {host}: {why}"));
            }
        }
    }
    for address in &learned.connected {
        match address.ip() {
            ip if is_public_address(ip) && address.port() != 53 => {
                remarks.insert(format!("{address} is an address: a name would be better"));
                named.insert(address.to_string());
            }
            // Ours, behind which a name stands that was heard of above; or nobody listened on that port.
            ip if is_named_inside(ip) || ip.is_loopback() || ip.is_unspecified() => {}
            ip => drop(
                remarks
                    .insert(format!("it wants {ip}, which is a private address and stays closed")),
            ),
        }
    }
    settings.network = named.into_iter().collect();
    settings.remarks.extend(remarks);
}

fn is_named_inside(ip: IpAddr) -> bool {
    let (network, bits) = AddressPool::NETWORK;
    match ip {
        IpAddr::V4(ip) => (ip.to_bits() ^ network.to_bits()) >> (32 - bits) == 0,
        IpAddr::V6(_) => false,
    }
}

#[cfg(test)]
mod tests;
