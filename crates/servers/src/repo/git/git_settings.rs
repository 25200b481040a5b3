//! What a repository's own settings say of its shape. No other of them is looked at, and what they
//! include is not read.

const WORKTREE: &str = "its files are in another place (`core.worktree`), which is not followed";
const BARE: &str =
    "its settings say that it is bare (`core.bare`), so it has no files beside Git's own";
const OBJECT_FORMAT: &str = "its objects are named by SHA-256, which is not read yet";
const REF_STORAGE: &str = "its references are kept as a reftable, which is not read yet";

#[derive(Debug)]
pub(crate) struct GitSettings {
    is_bare: bool,
    has_worktree: bool,
    is_sha256: bool,
    has_reftable: bool,
    /// Whether a file that may be executed differs from one that may not.
    pub(super) knows_modes: bool,
}

impl Default for GitSettings {
    fn default() -> Self {
        Self {
            is_bare: false,
            has_worktree: false,
            is_sha256: false,
            has_reftable: false,
            knows_modes: true,
        }
    }
}

impl GitSettings {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut settings = Self::default();
        let text = String::from_utf8_lossy(bytes);
        let mut section = String::new();
        for line in text.trim_start_matches('\u{feff}').lines() {
            let mut line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                let Some((name, rest)) = header.split_once(']') else { continue };
                section = name.trim().to_ascii_lowercase();
                line = rest.trim();
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let value = value.split(['#', ';']).next().unwrap_or_default();
            let value = value.trim().trim_matches('"').to_ascii_lowercase();
            let is_on = matches!(&*value, "true" | "yes" | "on" | "1");
            match (&*section, &*key.trim().to_ascii_lowercase()) {
                ("core", "bare") => settings.is_bare = is_on,
                ("core", "worktree") => settings.has_worktree = true,
                ("core", "filemode") => settings.knows_modes = is_on,
                ("extensions", "objectformat") => settings.is_sha256 = value != "sha1",
                ("extensions", "refstorage") => settings.has_reftable = value != "files",
                _ => {}
            }
        }
        settings
    }

    /// Why a repository of this shape is not read.
    pub(super) fn unusable(&self) -> Option<&'static str> {
        let shapes = [
            (self.has_worktree, WORKTREE),
            (self.is_bare, BARE),
            (self.is_sha256, OBJECT_FORMAT),
            (self.has_reftable, REF_STORAGE),
        ];
        shapes.into_iter().find_map(|(is_so, why)| is_so.then_some(why))
    }
}

#[cfg(test)]
mod tests;
