//! Where a configured value came from, and whose word it is.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::visible;

/// The layers of a configuration, low to high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Global,
    Project,
    Environment,
    Runtime,
}

impl Layer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Runtime => "runtime",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whose word a layer is. A project's comes with a cloned repository and is not believed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerGrade {
    Person,
    Project,
}

/// One source of configuration that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    File(PathBuf),
    Env(&'static str),
    Overrides,
}

impl ConfigSource {
    /// Its name without the folders above it, which are nobody else's business.
    pub fn short_name(&self) -> String {
        match self {
            Self::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
            Self::Env(_) | Self::Overrides => self.to_string(),
        }
    }
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Env(variable) => write!(f, "${variable}"),
            Self::Overrides => f.write_str("runtime overrides"),
        }
    }
}

/// The place of one entry or value: layer, source, key as it is spelt there, line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: Layer,
    pub grade: LayerGrade,
    pub source: Arc<ConfigSource>,
    pub key: String,
    pub line: usize,
}

impl fmt::Display for Origin {
    /// For a person, in the middle of a line: whoever made the folder gave it its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", visible(&self.source.to_string()), self.line)
    }
}
