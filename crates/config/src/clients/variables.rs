//! The spellings of a variable in other clients' files, found in a text.
//!
//! What a variable stands for is not looked up here.

use toolgate_types::EnvName;

/// A spelling that a client understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `${V}`
    Braced,
    /// `${V:-default}`
    Default,
    /// `${env:V}`
    Env,
    /// `$V`
    Bare,
    /// `{env:V}` and `{file:path}`
    Curly,
    /// `${file:path}`
    File,
    /// `${userHome}`, `${workspaceFolder}` and the editor's other words
    Folders,
    /// `${input:id}`
    Inputs,
}

/// A part of a text as the client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Text(&'t str),
    Variable {
        name: &'t str,
        default: Option<&'t str>,
        spelling: Form,
    },
    Folder(Folder),
    Input(&'t str),
    File,
    /// Something that only the running editor knows.
    Elsewhere,
}

/// What an editor calls the folders around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folder {
    Home,
    Workspace,
    WorkspaceName,
    Separator,
}

pub(super) fn scan<'t>(text: &'t str, forms: &[Form]) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['$', '{']) {
        let start = at + found;
        let Some((token, length)) = token_at(&text[start..], forms) else {
            at = start + 1;
            continue;
        };
        if plain < start {
            tokens.push(Token::Text(&text[plain..start]));
        }
        tokens.push(token);
        at = start + length;
        plain = at;
    }
    if plain < text.len() {
        tokens.push(Token::Text(&text[plain..]));
    }
    tokens
}

/// The variable that `rest` begins with, and its length.
fn token_at<'t>(rest: &'t str, forms: &[Form]) -> Option<(Token<'t>, usize)> {
    if let Some(inner) = enclosed(rest, "${") {
        return braced(inner, forms).map(|token| (token, inner.len() + 3));
    }
    if let Some(inner) = enclosed(rest, "{").filter(|_| forms.contains(&Form::Curly)) {
        let token = match inner.strip_prefix("env:") {
            Some(name) => variable(name, None, Form::Curly)?,
            None => inner.starts_with("file:").then_some(Token::File)?,
        };
        return Some((token, inner.len() + 2));
    }
    let bare = rest.strip_prefix('$').filter(|_| forms.contains(&Form::Bare))?;
    let end = bare.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(bare.len());
    Some((variable(&bare[..end], None, Form::Bare)?, end + 1))
}

fn enclosed<'t>(rest: &'t str, open: &str) -> Option<&'t str> {
    Some(rest.strip_prefix(open)?.split_once('}')?.0)
}

fn variable<'t>(name: &'t str, default: Option<&'t str>, spelling: Form) -> Option<Token<'t>> {
    EnvName::parse(name).ok()?;
    Some(Token::Variable { name, default, spelling })
}

fn braced<'t>(inner: &'t str, forms: &[Form]) -> Option<Token<'t>> {
    for form in forms {
        let token = match form {
            Form::Braced => variable(inner, None, Form::Braced),
            Form::Default => inner
                .split_once(":-")
                .and_then(|(name, default)| variable(name, Some(default), Form::Default)),
            Form::Env => inner.strip_prefix("env:").and_then(|name| variable(name, None, *form)),
            Form::File => inner.starts_with("file:").then_some(Token::File),
            Form::Folders => folder(inner),
            Form::Inputs => {
                inner.strip_prefix("input:").filter(|id| !id.is_empty()).map(Token::Input)
            }
            Form::Bare | Form::Curly => None,
        };
        if token.is_some() {
            return token;
        }
    }
    None
}

fn folder<'t>(inner: &str) -> Option<Token<'t>> {
    const ELSEWHERE: [&str; 4] = ["config", "command", "extensionInstallFolder", "workspaceFolder"];
    match inner {
        "userHome" => Some(Token::Folder(Folder::Home)),
        "workspaceFolder" | "workspaceRoot" => Some(Token::Folder(Folder::Workspace)),
        "workspaceFolderBasename" => Some(Token::Folder(Folder::WorkspaceName)),
        "pathSeparator" | "/" => Some(Token::Folder(Folder::Separator)),
        "cwd" | "lineNumber" | "selectedText" | "execPath" | "defaultBuildTask" => {
            Some(Token::Elsewhere)
        }
        _ if inner.starts_with("file") || inner.starts_with("relativeFile") => {
            Some(Token::Elsewhere)
        }
        _ => {
            let (word, _) = inner.split_once(':')?;
            ELSEWHERE.contains(&word).then_some(Token::Elsewhere)
        }
    }
}

#[cfg(test)]
mod tests;
