//! Splits Rust text into code, comments and string literals, keeping every line where it was.
//!
//! It handles nested comments, raw strings and lifetimes; it reports no syntax error, since the
//! compiler does.

use super::is_word;

/// A string literal: the line it starts on and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    pub line: usize,
    pub text: String,
}

/// A `//` comment with its slashes, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub line: usize,
    pub text: String,
}

/// `code` has the line breaks of the file, with comments and literals blanked out.
#[derive(Debug, Default)]
pub struct LexedSource {
    pub code: String,
    pub literals: Vec<Literal>,
    pub comments: Vec<Comment>,
}

impl LexedSource {
    pub fn new(text: &str) -> Self {
        let mut lexer =
            RustLexer { text: text.chars().collect(), at: 0, line: 1, source: Self::default() };
        lexer.run();
        lexer.source
    }
}

struct RustLexer {
    text: Vec<char>,
    at: usize,
    line: usize,
    source: LexedSource,
}

impl RustLexer {
    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('/')) => self.line_comment(),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(),
                ('\'', Some('\\')) => self.escaped_character(),
                ('\'', _) if self.peek(2) == Some('\'') => self.blank(3),
                _ if is_word(c) => self.word(),
                _ => self.keep(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn advance(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn keep(&mut self) {
        let kept = self.advance();
        self.source.code.extend(kept);
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            let blank = self.advance().map(|c| if c == '\n' { c } else { ' ' });
            self.source.code.extend(blank);
        }
    }

    fn line_comment(&mut self) {
        let (line, start) = (self.line, self.at);
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.blank(1);
        }
        let text = self.text[start..self.at].iter().collect();
        self.source.comments.push(Comment { line, text });
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (None, _) => return,
                _ => {
                    self.blank(1);
                    continue;
                }
            }
            self.blank(2);
            if depth == 0 {
                return;
            }
        }
    }

    fn escaped_character(&mut self) {
        self.blank(3);
        while self.peek(0).is_some_and(|c| c != '\'') {
            self.blank(1);
        }
        self.blank(1);
    }

    fn string(&mut self) {
        let (line, mut text) = (self.line, String::new());
        self.keep();
        while let Some(c) = self.peek(0).filter(|c| *c != '"') {
            if c != '\\' {
                text.push(c);
                self.blank(1);
                continue;
            }
            match self.peek(1) {
                Some('n' | 't' | '\n') => text.push(' '),
                other => text.extend(other),
            }
            self.blank(2);
        }
        self.keep();
        self.source.literals.push(Literal { line, text });
    }

    /// An identifier, a number, or the prefix of a raw string (`r`, `br`, `cr`).
    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.keep();
        }
        let word: String = self.text[start..self.at].iter().collect();
        let hashes = self.text[self.at..].iter().take_while(|c| **c == '#').count();
        if matches!(word.as_str(), "r" | "br" | "cr") && self.peek(hashes) == Some('"') {
            self.raw_string(hashes);
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        let (line, mut text) = (self.line, String::new());
        self.blank(hashes);
        self.keep();
        while let Some(c) = self.peek(0) {
            if c == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                break;
            }
            text.push(c);
            self.blank(1);
        }
        self.keep();
        self.blank(hashes);
        self.source.literals.push(Literal { line, text });
    }
}
