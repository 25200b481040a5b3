//! Node and its kin: scripts, what is loaded before them, and the neighbours that those import.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::imports;
use crate::fingerprint::runs::ProgramRuns;
use crate::shell::{ShellScript, ShellWord};

const INTERPRETERS: [&str; 9] =
    ["node", "nodejs", "bun", "deno", "tsx", "ts-node", "ts-node-esm", "esno", "nodemon"];

/// What a name may lack.
const ENDINGS: [&str; 9] = ["js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "node"];

/// What these read by themselves where they are started.
const SETTINGS: [&str; 8] = [
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    "tsconfig.json",
    "nodemon.json",
    ".babelrc",
    "import_map.json",
    ".env",
];

/// They load what stands behind them.
const LOADS: [&str; 8] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--preload",
    "--config",
    "--import-map",
];

/// A source file is no larger.
const LARGEST_SOURCE: u64 = 4 << 20;

pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name)
}

#[derive(Deserialize)]
struct PackageFile {
    main: Option<String>,
}

impl ProgramRuns<'_, '_> {
    pub(super) fn javascript(&mut self, name: &str, rest: &[ShellWord], depth: usize) {
        if matches!(name, "bun" | "deno") {
            self.package_manager(name, rest, depth);
        }
        if name != "node" && name != "nodejs" {
            SETTINGS.iter().for_each(|file| self.take(file));
        }
        let options = self.variables.get("NODE_OPTIONS").cloned().unwrap_or_default();
        let options = ShellScript::read(&options);
        let words: Vec<&ShellWord> = options.words().chain(rest).collect();
        for (index, word) in words.iter().enumerate() {
            let (option, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
            let is_loaded = index > 0 && LOADS.contains(&&*words[index - 1].text);
            let joined = word.text.strip_prefix("-r").filter(|name| !name.is_empty());
            if is_loaded {
                self.installed(&word.text);
            } else if LOADS.contains(&option) && !value.is_empty() {
                self.installed(value);
            } else if let Some(joined) = joined {
                self.installed(joined);
            }
            for name in [word.text.as_str(), value] {
                if name.starts_with("http:") || name.starts_with("https:") {
                    let name = self.shown(name);
                    self.note(format!("code that is fetched from {name} is not watched"));
                }
                if !name.is_empty() {
                    for path in self.paths(name) {
                        self.script_at(&path);
                    }
                }
            }
        }
    }

    /// What a bare name leads to among the installed packages.
    pub(super) fn installed(&mut self, name: &str) {
        let folders = self.variables.get("NODE_PATH").cloned().unwrap_or_default();
        let mut places: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        places.push(PathBuf::from("node_modules"));
        for place in places {
            for path in self.paths(&place.join(name).to_string_lossy()) {
                self.script_at(&path);
                if self.files.take_folder(&path, is_code).is_err() {
                    let name = self.shown(name);
                    self.note(format!("the package {name} holds too much to be watched whole"));
                }
            }
        }
    }

    /// A script as Node finds it: the file, the file with an ending, or what a folder begins with.
    fn script_at(&mut self, path: &Path) {
        if let Some(found) = self.resolved(path, true) {
            self.files.take_place(&found);
            self.neighbours(&found);
        }
    }

    fn resolved(&mut self, path: &Path, enters: bool) -> Option<PathBuf> {
        if let Some(file) = self.files.file(path) {
            return Some(file);
        }
        let with = |ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(".");
            name.push(ending);
            PathBuf::from(name)
        };
        if let Some(file) = ENDINGS.iter().find_map(|ending| self.files.file(&with(ending))) {
            return Some(file);
        }
        // TypeScript names the file that will be made of it.
        if let Some(stem) = path.to_str().and_then(|path| path.strip_suffix(".js")) {
            let made_of = ["ts", "tsx"].map(|ending| PathBuf::from(format!("{stem}.{ending}")));
            if let Some(file) = made_of.iter().find_map(|path| self.files.file(path)) {
                return Some(file);
            }
        }
        let folder = self.files.folder(path).filter(|_| enters)?;
        let manifest = folder.join("package.json");
        let text = self.files.text(&manifest, LARGEST_SOURCE).unwrap_or_default();
        if let Ok(PackageFile { main: Some(main) }) = serde_json::from_str(&text) {
            self.files.take_place(&manifest);
            if let Some(found) = self.resolved(&folder.join(main), false) {
                return Some(found);
            }
        }
        self.resolved(&folder.join("index"), false)
    }

    /// Takes what a source file imports from beside it, and what that does.
    fn neighbours(&mut self, real: &Path) {
        let mut ahead = vec![real.to_owned()];
        while let Some(real) = ahead.pop() {
            let name = real.to_string_lossy();
            if !is_code(&name) || name.ends_with(".node") || !self.follows(&real) {
                continue;
            }
            let Some(text) = self.files.text(&real, LARGEST_SOURCE) else { continue };
            if imports::is_dynamic_javascript(&text) {
                let place = self.files.place(&real);
                self.note(format!(
                    "`{place}` loads code by names that are made at run time; that is not watched"
                ));
            }
            let Some(beside) = real.parent() else { continue };
            let has_packages = beside.ancestors().any(|above| {
                above.starts_with(self.files.root()) && above.join("node_modules").is_dir()
            });
            if has_packages {
                self.note("what is installed in `node_modules` is not watched".to_owned());
            }
            for name in imports::of_javascript(&text) {
                if let Some(found) = self.resolved(&beside.join(name), true)
                    && is_code(&found.to_string_lossy())
                {
                    self.files.take_place(&found);
                    ahead.push(found);
                }
            }
        }
    }
}

fn is_code(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}
