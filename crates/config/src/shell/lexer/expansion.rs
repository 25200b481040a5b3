//! What a `$` or a backtick begins: quotes with escapes, substitutions, variables. Nothing is expanded;
//! what would be is read as commands of its own.

use std::mem;

use super::{DEEPEST, ShellLexer};

impl ShellLexer<'_> {
    pub(super) fn dollar(&mut self) {
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
    pub(super) fn expansion(&mut self) {
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
    pub(super) fn made(&mut self, is_here: bool) {
        let goes_on = self.rest.peek() == Some(&'/');
        let word = self.word();
        word.is_made |= !is_here;
        if is_here || (goes_on && word.text.is_empty()) {
            word.text.push('.');
        }
    }

    /// Reads a substitution's commands; its only word if it is just one.
    pub(super) fn inner(&mut self, closes: char) -> Option<String> {
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

    pub(super) fn backticks(&mut self) {
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
    pub(super) fn apart(&mut self, text: &str) {
        if self.depth == DEEPEST {
            self.script.is_cut = true;
            return;
        }
        let mut lexer = ShellLexer::at(text, self.depth + 1);
        lexer.list(None);
        self.script.is_cut |= lexer.script.is_cut;
        self.script.commands.append(&mut lexer.script.commands);
    }
}
