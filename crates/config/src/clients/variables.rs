//! The spellings of a variable in other clients' files, found in a text.
//!
//! What a variable stands for is not looked up here.

use toolgate_types::EnvName;

/// A spelling that a client understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableForm {
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
    /// `${{ secrets.V }}` and `${{ env.V }}`
    Templates,
}

/// A part of a text as the client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableToken<'t> {
    Text(&'t str),
    Variable {
        name: &'t str,
        default: Option<&'t str>,
        spelling: VariableForm,
    },
    Folder(EditorFolder),
    Input(&'t str),
    File,
    /// Something that only the running editor knows.
    Elsewhere,
}

/// What an editor calls the folders around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditorFolder {
    Home,
    Workspace,
    WorkspaceName,
    Separator,
}

pub(super) fn scan<'t>(text: &'t str, forms: &[VariableForm]) -> Vec<VariableToken<'t>> {
    let mut tokens = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['$', '{']) {
        let start = at + found;
        let Some((token, length)) = token_at(&text[start..], forms) else {
            at = start + 1;
            continue;
        };
        if plain < start {
            tokens.push(VariableToken::Text(&text[plain..start]));
        }
        tokens.push(token);
        at = start + length;
        plain = at;
    }
    if plain < text.len() {
        tokens.push(VariableToken::Text(&text[plain..]));
    }
    tokens
}

/// The variable that `rest` begins with, and its length.
fn token_at<'t>(rest: &'t str, forms: &[VariableForm]) -> Option<(VariableToken<'t>, usize)> {
    if forms.contains(&VariableForm::Templates)
        && let Some((inner, _)) = rest.strip_prefix("${{").and_then(|rest| rest.split_once("}}"))
    {
        let name = inner.trim().rsplit('.').next().unwrap_or_default();
        return Some((variable(name, None, VariableForm::Templates)?, inner.len() + 5));
    }
    if let Some(inner) = enclosed(rest, "${") {
        return braced(inner, forms).map(|token| (token, inner.len() + 3));
    }
    if let Some(inner) = enclosed(rest, "{").filter(|_| forms.contains(&VariableForm::Curly)) {
        let token = match inner.strip_prefix("env:") {
            Some(name) => variable(name, None, VariableForm::Curly)?,
            None => inner.starts_with("file:").then_some(VariableToken::File)?,
        };
        return Some((token, inner.len() + 2));
    }
    let bare = rest.strip_prefix('$').filter(|_| forms.contains(&VariableForm::Bare))?;
    let end = bare.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(bare.len());
    Some((variable(&bare[..end], None, VariableForm::Bare)?, end + 1))
}

fn enclosed<'t>(rest: &'t str, open: &str) -> Option<&'t str> {
    Some(rest.strip_prefix(open)?.split_once('}')?.0)
}

fn variable<'t>(
    name: &'t str,
    default: Option<&'t str>,
    spelling: VariableForm,
) -> Option<VariableToken<'t>> {
    EnvName::parse(name).ok()?;
    Some(VariableToken::Variable { name, default, spelling })
}

fn braced<'t>(inner: &'t str, forms: &[VariableForm]) -> Option<VariableToken<'t>> {
    for form in forms {
        let token = match form {
            VariableForm::Braced => variable(inner, None, VariableForm::Braced),
            VariableForm::Default => inner
                .split_once(":-")
                .and_then(|(name, default)| variable(name, Some(default), VariableForm::Default)),
            VariableForm::Env => {
                inner.strip_prefix("env:").and_then(|name| variable(name, None, *form))
            }
            VariableForm::File => inner.starts_with("file:").then_some(VariableToken::File),
            VariableForm::Folders => folder(inner),
            VariableForm::Inputs => {
                inner.strip_prefix("input:").filter(|id| !id.is_empty()).map(VariableToken::Input)
            }
            VariableForm::Bare | VariableForm::Curly | VariableForm::Templates => None,
        };
        if token.is_some() {
            return token;
        }
    }
    None
}

fn folder<'t>(inner: &str) -> Option<VariableToken<'t>> {
    const ELSEWHERE: [&str; 4] = ["config", "command", "extensionInstallFolder", "workspaceFolder"];
    match inner {
        "userHome" => Some(VariableToken::Folder(EditorFolder::Home)),
        "workspaceFolder" | "workspaceRoot" => Some(VariableToken::Folder(EditorFolder::Workspace)),
        "workspaceFolderBasename" => Some(VariableToken::Folder(EditorFolder::WorkspaceName)),
        "pathSeparator" | "/" => Some(VariableToken::Folder(EditorFolder::Separator)),
        "cwd" | "lineNumber" | "selectedText" | "execPath" | "defaultBuildTask" => {
            Some(VariableToken::Elsewhere)
        }
        _ if inner.starts_with("file") || inner.starts_with("relativeFile") => {
            Some(VariableToken::Elsewhere)
        }
        _ => {
            let (word, _) = inner.split_once(':')?;
            ELSEWHERE.contains(&word).then_some(VariableToken::Elsewhere)
        }
    }
}

#[cfg(test)]
mod tests;
