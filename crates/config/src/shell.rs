//! A shell's script as the simple commands in it, each as its words with quotes and escapes undone.
//!
//! It reads what POSIX shells and Bash read: operators, quotes, substitutions (as commands of their
//! own), here-documents. It runs and expands nothing: a word that is put together at run time says so.
//! What a command does with its words is for others to know.

mod lexer;

use lexer::ShellLexer;

/// Longer scripts are not looked through.
pub const LONGEST_SCRIPT: usize = 256 << 10;

/// The commands of a script, those of its substitutions among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellScript {
    pub commands: Vec<ShellCommand>,
    /// It ended inside a quote, or was too long or too deep to be read to its end.
    pub is_cut: bool,
}

/// One simple command: assignments, a program and its arguments, as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellCommand {
    pub words: Vec<ShellWord>,
    /// What its input and output are led to and from.
    pub redirects: Vec<ShellWord>,
}

/// One word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellWord {
    pub text: String,
    /// Variables, other commands or patterns make it what it is, so it may be another one each time.
    pub is_made: bool,
    /// Some of it is in quotes, so it is no reserved word.
    is_quoted: bool,
}

impl ShellWord {
    /// A word that means what it says.
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// `NAME=value`, taken apart.
    pub fn assignment(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let is_first = |first: char| first.is_ascii_alphabetic() || first == '_';
        let is_name = name.starts_with(is_first)
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        is_name.then_some((name, value))
    }
}

impl ShellScript {
    pub fn read(text: &str) -> Self {
        if text.len() > LONGEST_SCRIPT {
            return Self { commands: Vec::new(), is_cut: true };
        }
        ShellLexer::read(text)
    }

    /// Every word of every command.
    pub fn words(&self) -> impl Iterator<Item = &ShellWord> {
        self.commands.iter().flat_map(|command| command.words.iter().chain(&command.redirects))
    }
}

#[cfg(test)]
mod tests;
