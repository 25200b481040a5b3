//! Programs that run or load more than their command line says, each by what it does with its words.
//!
//! A program is known by its name. One that is not known runs what it is, and what its words name.

mod builders;
mod imports;
mod javascript;
mod packages;
mod python;

use std::path::Path;

use super::runs::{DEEPEST, ProgramRuns, base};
use crate::shell::{ShellScript, ShellWord};

const SHELLS: [&str; 11] =
    ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "yash", "tcsh"];

/// Interpreters that are not looked through: what their script loads is not known.
const OTHERS: [&str; 13] = [
    "ruby", "jruby", "perl", "php", "lua", "luajit", "Rscript", "julia", "tclsh", "wish", "groovy",
    "elixir", "escript",
];

/// No script that a person wrote is larger.
const LARGEST_SCRIPT: u64 = 1 << 20;

impl ProgramRuns<'_, '_> {
    /// A word that may be a program, with what stands behind it.
    pub(super) fn program(&mut self, program: &str, rest: &[ShellWord], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        self.begin(program, depth);
        let name = base(program);
        match name {
            _ if SHELLS.contains(&name) => self.shell(rest, depth),
            "eval" | "trap" | "watch" => {
                let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
                self.script(&words.join(" "), depth + 1, name == "eval");
                if rest.iter().any(|word| word.is_made) {
                    let sentence = "a script in it runs what is put together at run time";
                    self.note(format!("{sentence}; that is not watched"));
                }
            }
            "env" => self.split_strings(rest, depth),
            "source" | "." => self.note_files(rest.iter().take(1)),
            "su" | "script" | "runuser" | "sg" => self.after(rest, &["-c", "--command"], depth),
            _ if python::is_interpreter(name) => self.python(rest),
            _ if python::is_application(name) => self.python_application(rest),
            _ if javascript::is_interpreter(name) => self.javascript(name, rest, depth),
            _ if packages::is_manager(name) => self.package_manager(name, rest, depth),
            _ if packages::is_runner(name) => self.package_runner(name, rest),
            _ if OTHERS.contains(&name) => self.other(rest),
            _ => self.builder(name, rest),
        }
    }

    /// A file of the project that is run says in its first line by what.
    fn begin(&mut self, program: &str, depth: usize) {
        for path in self.paths(program) {
            let Some(real) = self.files.file(&path).filter(|_| program.contains('/')) else {
                continue;
            };
            if !self.begins(&real) {
                continue;
            }
            let text = self.files.text(&real, LARGEST_SCRIPT).unwrap_or_default();
            let Some(line) = text.strip_prefix("#!") else { continue };
            let line = line.lines().next().unwrap_or_default();
            let mut words: Vec<ShellWord> = ShellScript::read(line).words().cloned().collect();
            words.push(ShellWord::plain(&real.to_string_lossy()));
            self.run(&words, depth + 1);
        }
    }

    fn shell(&mut self, rest: &[ShellWord], depth: usize) {
        let mut words = rest.iter();
        let mut takes_script = false;
        while let Some(word) = words.next() {
            let text = &*word.text;
            match text.strip_prefix(['-', '+']) {
                Some("-rcfile" | "-init-file") => drop(words.next()),
                Some(long) if long.starts_with('-') && long != "-" => {}
                Some(short) => {
                    takes_script |= text.starts_with('-') && short.contains('c');
                    if short.ends_with(['o', 'O']) {
                        words.next();
                    }
                }
                None if takes_script => {
                    if word.is_made {
                        self.note("a shell in it is given what another command wrote; that is not watched".to_owned());
                    }
                    return self.script(text, depth + 1, true);
                }
                None => return self.note_files(std::iter::once(word)),
            }
        }
    }

    /// `env -S` takes a whole command line in one word.
    fn split_strings(&mut self, rest: &[ShellWord], depth: usize) {
        self.after(rest, &["-S", "--split-string", "-vS"], depth);
        for word in rest {
            let text = word.text.strip_prefix("--split-string=");
            if let Some(text) = text.or_else(|| word.text.strip_prefix("-S")) {
                self.script(text, depth + 1, true);
            }
        }
    }

    /// The word behind one of these options is a script.
    fn after(&mut self, rest: &[ShellWord], options: &[&str], depth: usize) {
        for pair in rest.windows(2) {
            if let [option, script] = pair
                && options.contains(&&*option.text)
            {
                self.script(&script.text, depth + 1, true);
            }
        }
    }

    /// `-I folder` and `-r name`, `-M name` of Ruby and Perl; the script itself was a word.
    fn other(&mut self, rest: &[ShellWord]) {
        let value = |option: &str| -> Vec<String> {
            let behind = rest.windows(2).filter(|pair| pair[0].text == option);
            let behind = behind.map(|pair| pair[1].text.clone());
            let joined = rest.iter().filter_map(|word| word.text.strip_prefix(option));
            behind.chain(joined.map(str::to_owned)).filter(|value| !value.is_empty()).collect()
        };
        let mut folders = value("-I");
        for folder in &folders {
            for path in self.paths(folder) {
                if self.files.take_folder(&path, |_| true).is_err() {
                    let folder = self.shown(folder);
                    self.note(format!("{folder} holds too much to be watched whole"));
                }
            }
        }
        folders.push(".".to_owned());
        for name in ["-r", "-M", "-m"].into_iter().flat_map(value) {
            let name = name.split('=').next().unwrap_or_default().replace("::", "/");
            for folder in &folders {
                for ending in ["", ".rb", ".pm", ".so", ".lua"] {
                    self.take(&format!("{folder}/{name}{ending}"));
                }
            }
        }
        self.note_files(rest.iter());
    }

    /// What runs and is not looked through any further.
    fn note_files<'w>(&mut self, words: impl Iterator<Item = &'w ShellWord>) {
        for word in words {
            for path in self.paths(&word.text) {
                self.note_file(&path);
            }
        }
    }

    fn note_file(&mut self, path: &Path) {
        if let Some(real) = self.files.file(path) {
            let place = self.files.place(&real);
            self.note(format!("what `{place}` itself loads or starts is not watched"));
        }
    }
}
