//! From the characters of a script to its commands. What a `$` or a backtick begins is in `expansion`.

mod expansion;

use std::iter::Peekable;
use std::mem;
use std::str::Chars;

use super::{ShellCommand, ShellScript, ShellWord};

/// How deep substitutions are read.
const DEEPEST: usize = 16;

/// What stands before a command and is none.
const RESERVED: [&str; 16] = [
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "case",
    "esac", "time", "coproc",
];

pub(super) struct ShellLexer<'a> {
    rest: Peekable<Chars<'a>>,
    script: ShellScript,
    depth: usize,
    command: ShellCommand,
    word: Option<ShellWord>,
    /// The next word is where something is led to or from.
    is_redirect: bool,
    /// The next word says where a here-document ends; whether tabs before its lines do not count.
    begins_document: Option<bool>,
    documents: Vec<(String, bool)>,
}

impl<'a> ShellLexer<'a> {
    pub(super) fn read(text: &str) -> ShellScript {
        let mut lexer = ShellLexer::at(text, 0);
        lexer.list(None);
        lexer.script
    }

    fn at(text: &'a str, depth: usize) -> Self {
        Self {
            rest: text.chars().peekable(),
            script: ShellScript::default(),
            depth,
            command: ShellCommand::default(),
            word: None,
            is_redirect: false,
            begins_document: None,
            documents: Vec::new(),
        }
    }

    /// Reads commands up to the end, or up to what closes the substitution that they stand in.
    fn list(&mut self, closes: Option<char>) {
        let mut open = 0_usize;
        while let Some(mark) = self.rest.next() {
            match mark {
                '\\' => match self.rest.next() {
                    Some('\n') => {}
                    Some(escaped) => self.quoted().text.push(escaped),
                    None => self.word().text.push('\\'),
                },
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '$' => self.dollar(),
                '`' => self.backticks(),
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                ' ' | '\t' => self.end_word(),
                '\n' => {
                    self.end_command();
                    self.here_documents();
                }
                ')' if open == 0 && closes == Some(')') => return self.end_command(),
                '(' => {
                    open += 1;
                    self.end_command();
                }
                ')' => {
                    open = open.saturating_sub(1);
                    self.end_command();
                }
                ';' | '&' | '|' => self.end_command(),
                '<' | '>' => self.redirect(mark),
                _ => self.letter(mark),
            }
        }
        self.script.is_cut |= closes.is_some();
        self.end_command();
    }

    fn word(&mut self) -> &mut ShellWord {
        self.word.get_or_insert_default()
    }

    fn quoted(&mut self) -> &mut ShellWord {
        let word = self.word();
        word.is_quoted = true;
        word
    }

    fn letter(&mut self, letter: char) {
        let word = self.word();
        // What `[` begins is a pattern only if it ends in the same word.
        word.is_made |= match letter {
            '*' | '?' | '{' => true,
            ']' => word.text.contains('['),
            '~' => word.text.is_empty(),
            _ => false,
        };
        word.text.push(letter);
    }

    fn single_quotes(&mut self) {
        self.quoted();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(letter) => self.word().text.push(letter),
                None => return self.script.is_cut = true,
            }
        }
    }

    fn double_quotes(&mut self) {
        self.quoted();
        loop {
            match self.rest.next() {
                Some('"') => return,
                Some('\\') => match self.rest.next() {
                    Some('\n') => {}
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => self.word().text.push(escaped),
                    Some(other) => self.word().text.extend(['\\', other]),
                    None => return self.script.is_cut = true,
                },
                Some('$') => self.expansion(),
                Some('`') => self.backticks(),
                Some(letter) => self.word().text.push(letter),
                None => return self.script.is_cut = true,
            }
        }
    }

    fn redirect(&mut self, mark: char) {
        // `2>` leads what the number says.
        if self.word.as_ref().is_some_and(|word| word.text.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if self.rest.next_if_eq(&'(').is_some() {
            self.inner(')');
            return self.made(false);
        }
        self.is_redirect = true;
        if mark == '<' && self.rest.next_if_eq(&'<').is_some() {
            if self.rest.next_if_eq(&'<').is_none() {
                self.begins_document = Some(self.rest.next_if_eq(&'-').is_some());
            }
        } else {
            self.rest.next_if(|next| matches!(next, '>' | '&' | '|'));
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if let Some(drops_tabs) = self.begins_document.take() {
            self.documents.push((word.text, drops_tabs));
            self.is_redirect = false;
        } else if mem::take(&mut self.is_redirect) {
            self.command.redirects.push(word);
        } else if self.command.words.is_empty()
            && !word.is_quoted
            && RESERVED.contains(&&*word.text)
        {
            // What follows is the command.
        } else {
            self.command.words.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.is_redirect = false;
        self.begins_document = None;
        let command = mem::take(&mut self.command);
        if command != ShellCommand::default() {
            self.script.commands.push(command);
        }
    }

    /// What stands between here and where the documents end. Whoever gets it may be a shell.
    fn here_documents(&mut self) {
        for (end, drops_tabs) in mem::take(&mut self.documents) {
            let mut body = String::new();
            let mut line = String::new();
            loop {
                let letter = self.rest.next();
                if let Some(letter) = letter.filter(|letter| *letter != '\n') {
                    line.push(letter);
                    continue;
                }
                let meant = if drops_tabs { line.trim_start_matches('\t') } else { &*line };
                if meant == end || (letter.is_none() && line.is_empty()) {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
                line.clear();
                if letter.is_none() {
                    break;
                }
            }
            self.apart(&body);
        }
    }
}
