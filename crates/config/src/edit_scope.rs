//! The two files of our own that are edited: the project's, and the person's.

use toolgate_types::Layer;

use crate::load::{LayerFile, LoadOptions, global_file, project_file};

/// Which of our files is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditScope {
    Project,
    Global,
}

impl EditScope {
    pub const ALL: [Self; 2] = [Self::Project, Self::Global];

    pub fn as_str(self) -> &'static str {
        self.layer().as_str()
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }

    /// What the file counts as.
    pub fn layer(self) -> Layer {
        match self {
            Self::Project => Layer::Project,
            Self::Global => Layer::Global,
        }
    }

    /// The file that an edit changes; it need not exist yet. None where nobody can tell where the
    /// person's own is.
    pub fn file(self, options: &LoadOptions) -> Option<LayerFile> {
        match self {
            Self::Project => {
                let path = options.cwd.join("toolgate.toml");
                Some(project_file(options).unwrap_or(LayerFile { path, shape: None }))
            }
            Self::Global => global_file(options),
        }
    }
}
