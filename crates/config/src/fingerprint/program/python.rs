//! Python: scripts, modules by name, and what those import, looked for where Python looks.

use std::path::{Path, PathBuf};

use super::imports;
use crate::fingerprint::environment::is_python;
use crate::fingerprint::runs::ProgramRuns;
use crate::shell::ShellWord;

/// Servers and tools that are told a module, or `module:object`.
const APPLICATIONS: [&str; 15] = [
    "celery",
    "coverage",
    "daphne",
    "debugpy",
    "fastapi",
    "fastmcp",
    "flask",
    "gunicorn",
    "hypercorn",
    "mcp",
    "pytest",
    "streamlit",
    "uvicorn",
    "uwsgi",
    "waitress-serve",
];

/// A source file is no larger.
const LARGEST_SOURCE: u64 = 4 << 20;

pub(super) fn is_interpreter(name: &str) -> bool {
    ["python", "pypy", "ipython"].iter().any(|known| name.starts_with(known)) || name == "py"
}

pub(super) fn is_application(name: &str) -> bool {
    APPLICATIONS.contains(&name)
}

/// What Python was told to run.
#[derive(Debug, PartialEq, Eq)]
enum PythonTarget<'w> {
    Module(&'w str),
    Code(&'w str),
    Script(&'w str),
}

/// What its options say, and what they leave to run.
#[derive(Debug, Default, PartialEq, Eq)]
struct PythonOptions<'w> {
    /// Variables do not count.
    is_isolated: bool,
    /// The folder that it runs in is not searched.
    is_safe: bool,
    told: Option<PythonTarget<'w>>,
}

impl<'w> PythonOptions<'w> {
    /// As Python reads them: letters may stand together, and the value of the last right behind it.
    fn read(rest: &'w [ShellWord]) -> Self {
        let mut options = Self::default();
        let mut words = rest.iter().map(|word| word.text.as_str());
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                options.told = Some(PythonTarget::Script(word));
                return options;
            };
            if let Some(long) = letters.strip_prefix('-') {
                if long == "check-hash-based-pycs" {
                    words.next();
                }
                continue;
            }
            for (at, letter) in letters.char_indices() {
                let behind = &letters[at + letter.len_utf8()..];
                let mut value = || if behind.is_empty() { words.next() } else { Some(behind) };
                match letter {
                    'm' => options.told = value().map(PythonTarget::Module),
                    'c' => options.told = value().map(PythonTarget::Code),
                    'W' | 'X' => drop(value()),
                    'I' => (options.is_isolated, options.is_safe) = (true, true),
                    'E' => options.is_isolated = true,
                    'P' => options.is_safe = true,
                    _ => {}
                }
                if matches!(letter, 'm' | 'c') {
                    return options;
                }
                if matches!(letter, 'W' | 'X') {
                    break;
                }
            }
        }
        options
    }
}

impl ProgramRuns<'_, '_> {
    pub(super) fn python(&mut self, rest: &[ShellWord]) {
        let options = PythonOptions::read(rest);
        let searched = self.python_path(options.is_isolated);
        let here = if options.is_safe { Vec::new() } else { self.paths(".") };
        match options.told {
            Some(PythonTarget::Module(name)) => self.module(name, [here, searched].concat()),
            Some(PythonTarget::Code(code)) => self.imports(code, None, &[here, searched].concat()),
            Some(PythonTarget::Script(script)) => self.script_file(script, searched),
            None => {}
        }
    }

    /// `uvicorn pkg.server:app`, `fastmcp run server.py:mcp`.
    pub(super) fn python_application(&mut self, rest: &[ShellWord]) {
        let searched = [self.paths("."), self.paths("src"), self.python_path(false)].concat();
        for word in rest {
            let name = word.text.split(':').next().unwrap_or_default();
            match name.ends_with(".py") {
                true => self.script_file(name, searched.clone()),
                false => self.module(name, searched.clone()),
            }
        }
    }

    fn python_path(&self, is_isolated: bool) -> Vec<PathBuf> {
        let path = self.variables.get("PYTHONPATH").filter(|_| !is_isolated);
        let folders = path.iter().flat_map(std::env::split_paths);
        folders.flat_map(|folder| self.paths(&folder.to_string_lossy())).collect()
    }

    /// A file, or a folder with a `__main__.py`.
    pub(super) fn script_file(&mut self, script: &str, searched: Vec<PathBuf>) {
        for path in self.paths(script) {
            if let Some(real) = self.files.file(&path) {
                self.files.take_place(&real);
                let beside = real.parent().map(Path::to_owned);
                let searched: Vec<PathBuf> =
                    beside.into_iter().chain(searched.iter().cloned()).collect();
                self.source(&real, &searched);
            } else if let Some(real) = self.files.folder(&path) {
                let main = real.join("__main__.py");
                if self.files.file(&main).is_some() {
                    self.package(&real);
                    self.files.take_place(&main);
                }
            }
        }
    }

    /// `python -m a.b`: the module in each folder that is searched, the packages that it lies in, and
    /// all of the outermost.
    pub(in crate::fingerprint) fn module(&mut self, name: &str, searched: Vec<PathBuf>) {
        let parts: Vec<&str> = name.split('.').collect();
        let is_part = |part: &&str| {
            !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        if !parts.iter().all(is_part) {
            return;
        }
        for folder in &searched {
            let files = self.module_files(folder, &parts);
            if files.is_empty() {
                continue;
            }
            let outermost = folder.join(parts[0]);
            if self.files.folder(&outermost).is_some() {
                self.package(&outermost);
            }
            for file in files {
                self.source(&file, &searched);
            }
        }
    }

    /// The files that a module's name leads to in a folder; all of them count.
    fn module_files(&mut self, folder: &Path, parts: &[&str]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut place = folder.to_owned();
        for (index, part) in parts.iter().enumerate() {
            found.extend(self.named(&place, part));
            place.push(part);
            found.extend(self.named(&place, "__init__"));
            if index + 1 == parts.len() {
                found.extend(self.named(&place, "__main__"));
            }
        }
        found
    }

    /// `name.py` and its compiled forms in a folder of the project.
    fn named(&mut self, folder: &Path, name: &str) -> Vec<PathBuf> {
        if self.files.folder(folder).is_none() {
            return Vec::new();
        }
        // With a mark of the platform between name and ending: `name.abi3.so`.
        let stem = format!("{name}.");
        let entries = folder.read_dir().into_iter().flatten().filter_map(Result::ok);
        let fits = |found: &std::fs::DirEntry| {
            let found = found.file_name();
            let found = found.to_string_lossy();
            found.starts_with(&stem) && is_python(&found)
        };
        let mut paths: Vec<PathBuf> = entries.filter(fits).map(|entry| entry.path()).collect();
        paths.sort_unstable();
        paths.iter().for_each(|path| self.files.take_place(path));
        paths.iter().filter_map(|path| self.files.file(path)).collect()
    }

    fn package(&mut self, folder: &Path) {
        if self.files.take_folder(folder, is_python).is_err() {
            let place = self.files.place(folder);
            self.note(format!("the package `{place}/` holds too much to be watched whole"));
        }
    }

    /// Looks into a source file for what it imports from the project.
    fn source(&mut self, real: &Path, searched: &[PathBuf]) {
        let is_source = real.extension().is_some_and(|ending| ending == "py" || ending == "pyw");
        let has_ending = real.extension().is_some();
        if (has_ending && !is_source) || !self.follows(real) {
            return;
        }
        let Some(text) = self.files.text(real, LARGEST_SOURCE) else { return };
        if imports::is_dynamic_python(&text) {
            let place = self.files.place(real);
            self.note(format!(
                "`{place}` loads code by names that are made at run time; that is not watched"
            ));
        }
        self.imports(&text, real.parent(), searched);
    }

    fn imports(&mut self, text: &str, beside: Option<&Path>, searched: &[PathBuf]) {
        for import in imports::of_python(text) {
            let above = beside.and_then(|folder| folder.ancestors().nth(import.levels.max(1) - 1));
            let folders = match (import.levels, above) {
                (0, _) => searched.to_vec(),
                (_, Some(folder)) => vec![folder.to_owned()],
                (_, None) => continue,
            };
            let module: Vec<&str> =
                import.module.split('.').filter(|part| !part.is_empty()).collect();
            let mut wanted = vec![module.clone()];
            wanted.extend(import.names.iter().map(|name| [&module[..], &[name.as_str()]].concat()));
            for parts in wanted.iter().filter(|parts| !parts.is_empty()) {
                for folder in &folders {
                    for file in self.module_files(folder, parts) {
                        self.source(&file, searched);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
