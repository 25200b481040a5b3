//! Rules about calls added to a person's own file, at its end.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use toolgate_types::ConfigSource;
use toolgate_types::config::CallRule;

use crate::edit::file::{BackupChoice, EditedFile, FileError, edit_file};
use crate::edit::{quoted, spell};
use crate::load::LayerFile;
use crate::lock::SHA256;
use crate::problem::Problems;
use crate::text::format_of;
use crate::tree::{ConfigDocument, ConfigFormat};

/// Why no rule was written.
#[derive(Debug, thiserror::Error)]
pub enum RuleWriteError {
    #[error("rules are written into TOML only; this is what yours would have to say:\n{0}")]
    NotToml(String),
    /// Such as where the file has its rules in one line.
    #[error("nothing was written, since the file would not be read any more: {0}")]
    Unreadable(Problems),
    #[error(transparent)]
    File(#[from] FileError),
}

/// One rule as it stands in a file.
pub fn rule_text(rule: &CallRule) -> String {
    let CallRule { tool, when, definition, then } = rule;
    let mut text = format!("[[policy.rules]]\ntool = {}\n", quoted(tool.as_str()));
    if !when.is_empty() {
        let pairs =
            when.iter().map(|(name, glob)| format!("{} = {}", spell(&[name]), quoted(glob)));
        let _ = writeln!(text, "when = {{ {} }}", pairs.collect::<Vec<_>>().join(", "));
    }
    if let Some(hash) = definition {
        let _ = writeln!(text, "definition = \"{SHA256}{}\"", hash.to_hex());
    }
    let _ = writeln!(text, "then = {}", quoted(then.as_str()));
    text
}

/// Adds these at the end of the file; every other byte stays.
pub fn append_rules(
    file: &LayerFile,
    rules: &[CallRule],
    lock_folder: &Path,
) -> Result<EditedFile, RuleWriteError> {
    let written: Vec<String> = rules.iter().map(rule_text).collect();
    if format_of(&file.path) != ConfigFormat::Toml {
        return Err(RuleWriteError::NotToml(written.concat()));
    }
    edit_file(&file.path, lock_folder, BackupChoice::None, |text| {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let gaps = match text {
            "" => 0,
            text if text.ends_with('\n') => 1,
            _ => 2,
        };
        let (gap, rules) = (line_end.repeat(gaps), written.join("\n").replace('\n', line_end));
        let new = format!("{text}{gap}{rules}");
        let source = Arc::new(ConfigSource::File(file.path.clone()));
        let read = new.replacen('\u{feff}', "   ", 1);
        ConfigDocument::parse(source, ConfigFormat::Toml, &read)
            .map_err(|problems| RuleWriteError::Unreadable(Problems(problems)))?;
        Ok(new)
    })
}

#[cfg(test)]
mod tests {
    use toolgate_types::config::RuleEffect;
    use toolgate_types::{Digest, Pattern};

    use super::*;

    fn rule() -> CallRule {
        CallRule {
            tool: Pattern::parse("files:read").unwrap(),
            when: vec![("path".to_owned(), "a\"b*".to_owned())],
            definition: Some(Digest([1; 32])),
            then: RuleEffect::Allow,
        }
    }

    #[test]
    fn rules_come_last_and_every_other_byte_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let file = LayerFile { path: path.clone(), shape: None };
        for before in ["", "# mine\nversion = 1", "[policy]\ndeny_tools = [\"x\"]\r\n"] {
            std::fs::write(&path, before).unwrap();
            append_rules(&file, &[rule(), rule()], folder.path()).unwrap();
            let after = std::fs::read_to_string(&path).unwrap();
            assert!(after.starts_with(before), "{after}");
            let read: toml::Table = toml::from_str(&after).unwrap();
            let rules = read["policy"]["rules"].as_array().unwrap();
            assert_eq!(rules.len(), 2);
            assert_eq!(rules[0]["when"]["path"].as_str(), Some("a\"b*"));
        }
    }

    #[test]
    fn a_file_that_cannot_take_them_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let before = "[policy]\nrules = []\n";
        std::fs::write(&path, before).unwrap();
        let file = LayerFile { path: path.clone(), shape: None };
        let error = append_rules(&file, &[rule()], folder.path()).unwrap_err();
        assert!(matches!(error, RuleWriteError::Unreadable(_)), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
        let json = LayerFile { path: folder.path().join("config.json"), shape: None };
        let error = append_rules(&json, &[rule()], folder.path()).unwrap_err();
        assert!(error.to_string().contains("[[policy.rules]]"), "{error}");
    }
}
