//! What a command line runs: its words as a shell reads them, the scripts among them, the programs
//! that are known to load more than they are told, and the variables that they go by.
//!
//! What each of those programs does is in `program`. Where something that runs cannot be known
//! beforehand, a sentence says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolgate_types::ConfigText;

use super::command_line::CommandLine;
use super::files::FingerprintedFiles;
use super::pieces::take_pieces;
use super::real;
use crate::shell::{ShellCommand, ShellScript, ShellWord};

/// How deep scripts in scripts are read.
pub(super) const DEEPEST: usize = 8;

/// How many names are tried for one entry.
const MOST_NAMES: usize = 50_000;

/// Into how many folders a script may go.
const MOST_PLACES: usize = 16;

/// Into how many files it is looked for what they load.
const MOST_FOLLOWED: usize = 2000;

/// How much is said about one entry.
const MOST_NOTES: usize = 12;

impl CommandLine<'_> {
    /// Takes every file that runs, or that is named here by something that runs in this folder; says
    /// what cannot be watched.
    pub(super) fn look(&self, folder: &Path, files: &mut FingerprintedFiles<'_>) -> Vec<String> {
        let folder = real(folder);
        take_pieces(self, &folder, files);
        let mut texts = std::iter::once(self.command).chain(self.args);
        let is_secret = texts.any(ConfigText::is_secret);
        let mut runs = ProgramRuns::new(folder, files, is_secret);
        for (name, value) in self.env {
            runs.set(name.as_str(), value.expose(), false, 0);
        }
        let texts = std::iter::once(self.command).chain(self.args);
        let words: Vec<ShellWord> = texts.map(|text| ShellWord::plain(text.expose())).collect();
        runs.run(&words, 0);
        if runs.names_left == 0 {
            runs.is_silent = false;
            runs.note("the command line names more than can be looked through".to_owned());
        }
        runs.notes
    }
}

/// A look at what runs.
pub(super) struct ProgramRuns<'a, 'f> {
    pub(super) files: &'a mut FingerprintedFiles<'f>,
    folder: PathBuf,
    /// Where the script may have gone from there.
    places: Vec<PathBuf>,
    /// What the entry and its scripts set.
    pub(super) variables: BTreeMap<String, String>,
    notes: Vec<String>,
    is_silent: bool,
    is_secret: bool,
    names_left: usize,
    /// What was looked into already, and whether anything could be said then.
    followed: BTreeSet<(PathBuf, bool)>,
    begun: BTreeSet<(PathBuf, bool)>,
}

/// What goes into a folder before it runs something.
const INTO: [&str; 9] = [
    "-C",
    "--cwd",
    "--chdir",
    "--directory",
    "--dir",
    "--prefix",
    "--project",
    "--working-directory",
    "--workdir",
];

/// What runs the command that stands behind it.
const WRAPPERS: [&str; 34] = [
    "bundle",
    "busybox",
    "chronic",
    "chrt",
    "command",
    "corepack",
    "direnv",
    "doas",
    "dotenv",
    "dumb-init",
    "env",
    "exec",
    "firejail",
    "flock",
    "hatch",
    "ionice",
    "mise",
    "nice",
    "nohup",
    "npm",
    "numactl",
    "pdm",
    "pipenv",
    "pnpm",
    "poetry",
    "rye",
    "setsid",
    "stdbuf",
    "strace",
    "sudo",
    "timeout",
    "tini",
    "uv",
    "xargs",
];

/// Words of theirs that stand before the command.
const WRAPPERS_OWN: [&str; 6] = ["run", "exec", "tool", "x", "dlx", "script"];

/// They run nothing that their words name.
const HARMLESS: [&str; 24] = [
    ":", "[", "[[", "break", "continue", "declare", "echo", "exit", "export", "false", "local",
    "mkdir", "printf", "pwd", "read", "readonly", "return", "set", "shift", "sleep", "test",
    "true", "ulimit", "unset",
];

impl<'a, 'f> ProgramRuns<'a, 'f> {
    fn new(folder: PathBuf, files: &'a mut FingerprintedFiles<'f>, is_secret: bool) -> Self {
        Self {
            files,
            folder,
            places: vec![PathBuf::new()],
            variables: BTreeMap::new(),
            notes: Vec::new(),
            is_silent: false,
            is_secret,
            names_left: MOST_NAMES,
            followed: BTreeSet::new(),
            begun: BTreeSet::new(),
        }
    }

    /// One command with its words.
    pub(super) fn run(&mut self, words: &[ShellWord], depth: usize) {
        let mut is_first = true;
        for word in words {
            if let Some((name, value)) = word.assignment() {
                self.set(name, value, word.is_made, depth);
            } else if std::mem::take(&mut is_first) && !word.text.contains('/') {
                // A bare command is looked for in `PATH` and not in the folder.
                continue;
            }
            self.word(word, depth);
        }
        self.go(words);
        let before = self.is_silent;
        for (index, word) in words.iter().enumerate() {
            self.is_silent = before || !is_command(&words[..index]);
            self.program(&word.text, &words[index + 1..], depth);
        }
        self.is_silent = before;
    }

    /// A script, and whether it surely runs: then it is said what of it cannot be known.
    pub(super) fn script(&mut self, text: &str, depth: usize, is_run: bool) {
        if depth > DEEPEST {
            if is_run {
                self.note("its scripts are nested too deeply to be looked through".to_owned());
            }
            return;
        }
        let script = ShellScript::read(text);
        if is_run && (script.is_cut || script.commands.iter().any(is_made)) {
            self.note(
                "a script in it takes what it runs from variables, patterns or other commands; \
                 what those lead to is not watched"
                    .to_owned(),
            );
        }
        let before = self.is_silent;
        self.is_silent |= !is_run;
        for command in &script.commands {
            command.redirects.iter().for_each(|word| self.word(word, depth));
            self.run(&command.words, depth);
        }
        self.is_silent = before;
    }

    /// Whatever a word may name.
    fn word(&mut self, word: &ShellWord, depth: usize) {
        let text = &word.text;
        self.take(text);
        if let Some((_, value)) = text.split_once('=') {
            self.take(value);
        }
        if let Some(value) = text.strip_prefix('-').and_then(|rest| rest.get(1..)) {
            self.take(value);
        }
        let is_script = |mark: char| mark.is_whitespace() || ";|&<>()$`'\"\\".contains(mark);
        if text.contains(is_script) && depth < DEEPEST {
            self.script(text, depth + 1, false);
        }
    }

    /// Where the command goes before anything else is looked for.
    fn go(&mut self, words: &[ShellWord]) {
        let is_cd = words.first().is_some_and(|word| matches!(&*word.text, "cd" | "pushd"));
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).map(|next| next.text.as_str());
            let into = match word.text.split_once('=') {
                Some((option, folder)) if INTO.contains(&option) => Some(folder),
                _ if INTO.contains(&&*word.text) || (is_cd && index == 0) => next,
                _ => word.text.strip_prefix("-C").filter(|folder| !folder.is_empty()),
            };
            if let Some(into) = into {
                self.enter(into);
            }
        }
    }

    fn enter(&mut self, folder: &str) {
        for place in self.places.clone() {
            let place = place.join(folder);
            if self.files.folder(&self.folder.join(&place)).is_none()
                || self.places.contains(&place)
            {
                continue;
            }
            if self.places.len() == MOST_PLACES {
                return self.note("it goes through more folders than can be followed".to_owned());
            }
            self.places.push(place);
        }
    }

    /// Where a name may lead, seen from all the folders that the command may be in.
    pub(super) fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.places.iter().map(|place| self.folder.join(place).join(name)).collect()
    }

    pub(super) fn take(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        for path in self.paths(name) {
            let Some(left) = self.names_left.checked_sub(1) else { return };
            self.names_left = left;
            self.files.take_place(&path);
        }
    }

    /// Whether this file has to be looked into.
    pub(super) fn follows(&mut self, real: &Path) -> bool {
        self.followed.len() < MOST_FOLLOWED
            && self.followed.insert((real.to_owned(), self.is_silent))
    }

    /// Whether it has to be found out what runs this file.
    pub(super) fn begins(&mut self, real: &Path) -> bool {
        self.begun.insert((real.to_owned(), self.is_silent))
    }

    pub(super) fn note(&mut self, sentence: String) {
        let is_new = !self.notes.contains(&sentence) && self.notes.len() < MOST_NOTES;
        if !self.is_silent && is_new {
            self.notes.push(sentence);
        }
    }

    /// Something of the command line as a sentence may show it.
    pub(super) fn shown(&self, words: &str) -> String {
        if self.is_secret { "what it names".to_owned() } else { format!("`{words}`") }
    }
}

/// Whether what stands behind these words is a command.
fn is_command(before: &[ShellWord]) -> bool {
    let mut is_value = false;
    before.iter().all(|word| {
        let text = &*word.text;
        let is_option = text.starts_with('-');
        let stands = is_option
            || is_value
            || word.assignment().is_some()
            || text.starts_with(|first: char| first.is_ascii_digit())
            || WRAPPERS.contains(&base(text))
            || WRAPPERS_OWN.contains(&text);
        is_value = is_option && !text.contains('=');
        stands
    })
}

fn is_made(command: &ShellCommand) -> bool {
    let mut words = command.words.iter().skip_while(|word| word.assignment().is_some());
    let is_harmless = words.next().is_none_or(|word| HARMLESS.contains(&&*word.text));
    let is_set = |word: &ShellWord| word.assignment().is_some();
    !is_harmless && command.words.iter().any(|word| word.is_made && !is_set(word))
}

/// A program by its name alone.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
