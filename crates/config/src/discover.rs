//! Finds the one project file: a path that was given, or the first one walking up.
//!
//! Nothing is read here but the presence of files.

use std::path::{Path, PathBuf};

use toolgate_types::Variables;

/// What a folder may hold, in the order it is looked for.
pub const PROJECT_FILES: [&str; 6] = [
    "toolgate.toml",
    ".toolgate/config.toml",
    "toolgate.json",
    "codex-toolloop.mcp.json",
    ".codex-toolloop/mcp.json",
    ".codelia/config.json",
];

/// How many folders are looked into, the first one included.
const DEPTH: usize = 100;

/// The first project file walking up from `start`, stopping before `home`.
pub fn discover_mcp_config_path(start: &Path, home: Option<&Path>) -> Option<PathBuf> {
    // The folder counts, not its spelling: a home may be reached through a link.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let home = home.map(real);
    let below_home = |folder: &&Path| home.as_ref().is_none_or(|home| *home != real(folder));
    start.ancestors().take(DEPTH).take_while(below_home).find_map(|folder| {
        PROJECT_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
    })
}

/// The folder a project file speaks for: a file in a hidden folder of ours speaks for its parent.
pub fn root_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new("."));
    let hidden = [".toolgate", ".codex-toolloop", ".codelia", ".codex"];
    let is_ours = folder.file_name().is_some_and(|name| hidden.iter().any(|own| name == *own));
    let root = if is_ours { folder.parent().unwrap_or(folder) } else { folder };
    if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.to_owned() }
}

/// A variable that has our name and one that older tools use. Ours wins.
#[derive(Debug, Clone, Copy)]
pub struct VariableNames {
    pub own: &'static str,
    pub alias: &'static str,
}

impl VariableNames {
    pub const GLOBAL_FILE: Self =
        Self { own: "TOOLGATE_GLOBAL_CONFIG", alias: "CODELIA_CONFIG_PATH" };
    pub const PROJECT_FILE: Self =
        Self { own: "TOOLGATE_CONFIG", alias: "CODEX_TOOLLOOP_MCP_CONFIG_PATH" };
    pub const INLINE_JSON: Self =
        Self { own: "TOOLGATE_CONFIG_JSON", alias: "CODEX_TOOLLOOP_MCP_CONFIG_JSON" };

    /// The name that is set and its value; a blank value counts as unset.
    pub fn lookup(self, variables: &Variables) -> Option<(&'static str, &str)> {
        [self.own, self.alias].into_iter().find_map(|name| {
            let value = variables.get(name)?;
            (!value.trim().is_empty()).then_some((name, value.as_str()))
        })
    }
}

/// Where the global file is, whether it exists or not, and the variable that says so if one does.
pub fn global_path(variables: &Variables) -> Option<(PathBuf, Option<&'static str>)> {
    if let Some((name, path)) = VariableNames::GLOBAL_FILE.lookup(variables) {
        return Some((PathBuf::from(path), Some(name)));
    }
    config_home(variables).map(|folder| (folder.join("toolgate/config.toml"), None))
}

/// `$XDG_CONFIG_HOME`, which counts only if it is absolute, else `~/.config`.
pub fn config_home(variables: &Variables) -> Option<PathBuf> {
    let absolute =
        |name: &str| variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))
}
