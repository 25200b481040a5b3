//! Which names a source file imports, as far as they stand in its text.
//!
//! It parses no language. A line that only looks like an import costs nothing, since it names no file.

/// `from ..package import a, b` of Python: two levels up, `package`, and the names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PythonImport {
    pub(super) levels: usize,
    pub(super) module: String,
    pub(super) names: Vec<String>,
}

pub(super) fn of_python(text: &str) -> Vec<PythonImport> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.split('#').next().unwrap_or_default();
        for part in line.split([';', ':']) {
            let part = part.trim_start();
            if let Some(modules) = part.strip_prefix("import ") {
                let modules =
                    modules.split(',').filter_map(|module| module.split_whitespace().next());
                let plain = |module: &str| PythonImport {
                    levels: 0,
                    module: module.to_owned(),
                    names: Vec::new(),
                };
                found.extend(modules.map(plain));
            } else if let Some((module, names)) =
                part.strip_prefix("from ").and_then(|part| part.split_once("import"))
            {
                let module = module.trim();
                let plain = module.trim_start_matches('.');
                let levels = module.len() - plain.len();
                let mut names = names.to_owned();
                // In parentheses, or behind a backslash, it goes on.
                while (names.contains('(') && !names.contains(')')) || names.ends_with('\\') {
                    let Some(next) = lines.next() else { break };
                    names = names.trim_end_matches('\\').to_owned();
                    names.push(' ');
                    names.push_str(next.split('#').next().unwrap_or_default());
                }
                let names = names.split([',', '(', ')']);
                let names = names.filter_map(|name| name.split_whitespace().next());
                let names = names.map(str::to_owned).collect();
                found.push(PythonImport { levels, module: plain.to_owned(), names });
            }
        }
    }
    found
}

/// Whether names are made at run time.
pub(super) fn is_dynamic_python(text: &str) -> bool {
    ["importlib", "__import__", "runpy", "exec(", "sys.path"].iter().any(|sign| text.contains(sign))
}

/// Every string that names a file beside this one.
pub(super) fn of_javascript(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let quote = &rest[at..=at];
        let inner = &rest[at + 1..];
        rest = inner;
        if !inner.starts_with('.') {
            continue;
        }
        let end = inner.find([quote.chars().next().unwrap_or('"'), '\n']).unwrap_or(inner.len());
        let name = &inner[..end];
        if name == "." || name.starts_with("./") || name.starts_with("../") {
            found.push(name);
        }
    }
    found
}

/// Whether names are made at run time.
pub(super) fn is_dynamic_javascript(text: &str) -> bool {
    ["require(", "import("].iter().any(|call| {
        text.match_indices(call).any(|(at, _)| {
            let argument = text[at + call.len()..].trim_start();
            !argument.starts_with(['\'', '"', '`', ')'])
        })
    })
}

#[cfg(test)]
mod tests;
