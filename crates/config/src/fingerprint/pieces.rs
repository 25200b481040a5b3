//! Which files the words of a command line could name: every piece of them that looks like a path.
//!
//! It understands no shell and no program's options; `runs` does. It tries too much rather than too
//! little: a piece that names no file of the project costs nothing.

use std::path::{Path, PathBuf};

use toolgate_types::ConfigText;

use super::command_line::CommandLine;
use super::files::FingerprintedFiles;
use super::variables_that_run::LOADING;

/// What ends a path in a script or an option.
const BETWEEN: [char; 21] = [
    '\'', '"', '`', ';', '|', '&', '<', '>', '(', ')', '{', '}', '[', ']', ',', '=', ':', '@', '$',
    '#', '!',
];

/// Other spellings of the folder that something runs in.
const HERE: [&str; 5] = ["${PWD}", "$PWD", "$(pwd)", "`pwd`", "/proc/self/cwd"];

/// What comes before a folder that is gone into.
const INTO: [&str; 7] = ["cd", "-C", "--cwd", "--chdir", "--directory", "--dir", "--prefix"];

/// Programs that run a folder, or a file by half its name, as their names begin.
const RUN_FOLDERS: [&str; 6] = ["node", "bun", "deno", "ts", "python", "pypy"];

/// What they begin with in a folder.
const FIRST: [&str; 7] =
    ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "index.json", "__main__.py"];

/// What they add to half a name.
const ENDINGS: [&str; 6] = [".js", ".mjs", ".cjs", ".ts", ".json", ".node"];

/// No `package.json` that a person wrote is larger.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Takes every file that is named here by something that runs in this folder.
pub(super) fn take_pieces(
    line: &CommandLine<'_>,
    folder: &Path,
    files: &mut FingerprintedFiles<'_>,
) {
    let mut walk = EntryPieces::new(folder.to_owned(), files);
    walk.command(line.command);
    line.args.iter().for_each(|word| walk.word(word));
    let loading = line.env.iter().filter(|(name, _)| LOADING.contains(&name.as_str()));
    loading.for_each(|(_, value)| walk.word(value));
}

struct EntryPieces<'a, 'f> {
    files: &'a mut FingerprintedFiles<'f>,
    folder: PathBuf,
    /// Where the line went from there.
    inner: Option<String>,
    previous: String,
    runs_folders: bool,
    is_secret: bool,
}

impl<'a, 'f> EntryPieces<'a, 'f> {
    fn new(folder: PathBuf, files: &'a mut FingerprintedFiles<'f>) -> Self {
        let previous = String::new();
        Self { files, folder, inner: None, previous, runs_folders: false, is_secret: false }
    }

    /// A bare command is looked up in `PATH`, not in the working directory.
    fn command(&mut self, command: &ConfigText) {
        let name = command.expose();
        self.runs_folders = runs_folders(name);
        if name.contains('/') {
            self.word(command);
        }
    }

    fn word(&mut self, word: &ConfigText) {
        self.is_secret = word.is_secret();
        let mut word = word.expose().to_owned();
        for spelling in HERE {
            word = word.replace(spelling, ".");
        }
        self.piece(&word);
        if let Some((_, value)) = word.split_once('=') {
            self.piece(value);
        }
        let is_between = |c: char| c.is_whitespace() || BETWEEN.contains(&c);
        for token in word.split(is_between).filter(|token| !token.is_empty()) {
            if token != word {
                self.piece(token);
            }
            // An option with its value right behind it.
            if let Some(value) = token.strip_prefix('-').and_then(|rest| rest.get(1..)) {
                self.piece(value);
            }
            if INTO.contains(&self.previous.as_str()) {
                self.inner = Some(join(self.inner.as_deref().unwrap_or_default(), token));
            }
            self.runs_folders |= runs_folders(token);
            token.clone_into(&mut self.previous);
        }
    }

    fn piece(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        self.candidate(piece);
        if let Some(inner) = self.inner.clone() {
            self.candidate(&join(&inner, piece));
        }
    }

    fn candidate(&mut self, name: &str) {
        self.take(name);
        if !self.runs_folders {
            return;
        }
        if self.previous == "-m" {
            return self.module(name);
        }
        let path = self.folder.join(name);
        if self.files.file(&path).is_some() {
            return;
        }
        ENDINGS.iter().for_each(|ending| self.take(&format!("{name}{ending}")));
        if self.files.folder(&path).is_some() {
            FIRST.iter().for_each(|first| self.take(&join(name, first)));
            self.main_of(name, &path);
        }
    }

    /// `python -m a.b` runs these.
    fn module(&mut self, name: &str) {
        let mut path = String::new();
        for part in name.split('.') {
            path = join(&path, part);
            self.take(&join(&path, "__init__.py"));
        }
        self.take(&format!("{path}.py"));
        self.take(&join(&path, "__main__.py"));
    }

    /// What a `package.json` names as its beginning.
    fn main_of(&mut self, name: &str, folder: &Path) {
        let text = self.files.text(&folder.join("package.json"), LARGEST_MANIFEST);
        let Ok(manifest) = serde_json::from_str::<PackageJson>(&text.unwrap_or_default()) else {
            return;
        };
        if let Some(main) = manifest.main {
            let main = join(name, &main);
            self.take(&main);
            ENDINGS.iter().for_each(|ending| self.take(&format!("{main}{ending}")));
            FIRST.iter().for_each(|first| self.take(&join(&main, first)));
        }
    }

    fn take(&mut self, name: &str) {
        self.files.take(name, self.is_secret, &self.folder.join(name));
    }
}

#[derive(serde::Deserialize)]
struct PackageJson {
    main: Option<String>,
}

/// A path below another, as it is shown.
fn join(above: &str, below: &str) -> String {
    Path::new(above).join(below).to_string_lossy().into_owned()
}

fn runs_folders(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    RUN_FOLDERS.iter().any(|known| name.starts_with(known))
}
