//! From the characters of a script to its commands.

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

pub(super) struct Lexer<'a> {
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

impl<'a> Lexer<'a> {
    pub(super) fn read(text: &str) -> ShellScript {
        let mut lexer = Lexer::at(text, 0);
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

    fn dollar(&mut self) {
        match self.rest.peek() {
            Some('\'') => {
                self.rest.next();
                self.escaped_quotes();
            }
            Some('"') => {
                self.rest.next();
                self.double_quotes();
            }
            _ => self.expansion(),
        }
    }

    /// `$'…'`, where a backslash means what it means in C.
    fn escaped_quotes(&mut self) {
        self.quoted();
        loop {
            let letter = match self.rest.next() {
                Some('\'') => return,
                Some('\\') => self.escape(),
                letter => letter,
            };
            match letter {
                Some(letter) => self.word().text.push(letter),
                None => return self.script.is_cut = true,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let escaped = self.rest.next()?;
        let number = |lexer: &mut Self, first: Option<char>, base: u32, most: usize| {
            let mut digits = String::from_iter(first);
            while digits.len() < most
                && let Some(digit) = lexer.rest.next_if(|digit| digit.is_digit(base))
            {
                digits.push(digit);
            }
            u32::from_str_radix(&digits, base).ok().and_then(char::from_u32)
        };
        let meant = match escaped {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            'x' => number(self, None, 16, 2),
            'u' => number(self, None, 16, 4),
            'U' => number(self, None, 16, 8),
            '0'..='7' => number(self, Some(escaped), 8, 3),
            other => Some(other),
        };
        Some(meant.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// What a `$` begins: a substitution, or a variable.
    fn expansion(&mut self) {
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                let place = self.inner(')');
                self.made(place.as_deref() == Some("pwd"));
            }
            Some('{') => {
                self.rest.next();
                let name = self.braces();
                self.made(name == "PWD");
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let mut name = String::new();
                let is_name = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
                while let Some(letter) = self.rest.next_if(is_name) {
                    name.push(letter);
                }
                self.made(name == "PWD");
            }
            Some('0'..='9' | '@' | '*' | '#' | '?' | '!' | '-' | '$') => {
                self.rest.next();
                self.made(false);
            }
            _ => self.word().text.push('$'),
        }
    }

    /// Lets the word go on behind something that is known at run time only. The folder that the
    /// script runs in is `.`; what is unknown is taken for it where a path goes on behind it.
    fn made(&mut self, is_here: bool) {
        let goes_on = self.rest.peek() == Some(&'/');
        let word = self.word();
        word.is_made |= !is_here;
        if is_here || (goes_on && word.text.is_empty()) {
            word.text.push('.');
        }
    }

    /// Reads a substitution's commands; its only word if it is just one.
    fn inner(&mut self, closes: char) -> Option<String> {
        if self.depth == DEEPEST {
            self.script.is_cut = true;
            return None;
        }
        let before = self.script.commands.len();
        let command = mem::take(&mut self.command);
        let word = self.word.take();
        let is_redirect = mem::take(&mut self.is_redirect);
        let begins_document = self.begins_document.take();
        let documents = mem::take(&mut self.documents);
        self.depth += 1;
        self.list(Some(closes));
        self.depth -= 1;
        self.command = command;
        self.word = word;
        self.is_redirect = is_redirect;
        self.begins_document = begins_document;
        self.documents = documents;
        match self.script.commands.get(before..) {
            Some([only]) => match &*only.words {
                [word] => Some(word.text.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The name in `${…}`; what stands behind it is read as words of its own.
    fn braces(&mut self) -> String {
        let mut inner = String::new();
        let mut open = 1_usize;
        for letter in self.rest.by_ref() {
            match letter {
                '{' => open += 1,
                '}' => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
            inner.push(letter);
        }
        self.script.is_cut |= open > 0;
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if let Some(end) = inner.find(|letter| !is_name(letter)) {
            let default = inner[end..].trim_start_matches([':', '-', '=', '+', '?']);
            self.apart(default);
        }
        inner
    }

    fn backticks(&mut self) {
        let mut inner = String::new();
        let is_closed = loop {
            match self.rest.next() {
                Some('`') => break true,
                Some('\\') => match self.rest.next() {
                    Some(escaped @ ('`' | '\\' | '$')) => inner.push(escaped),
                    Some(other) => inner.extend(['\\', other]),
                    None => break false,
                },
                Some(letter) => inner.push(letter),
                None => break false,
            }
        };
        self.script.is_cut |= !is_closed;
        self.apart(&inner);
        self.made(inner.trim() == "pwd");
    }

    /// Reads text whose end is known as a script of its own.
    fn apart(&mut self, text: &str) {
        if self.depth == DEEPEST {
            self.script.is_cut = true;
            return;
        }
        let mut lexer = Lexer::at(text, self.depth + 1);
        lexer.list(None);
        self.script.is_cut |= lexer.script.is_cut;
        self.script.commands.append(&mut lexer.script.commands);
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
