//! What must hold for any script at all: shared by the fuzz target, which looks for inputs that break
//! it, and by the tests, which replay those that were kept.

use toolgate_config::shell::ShellScript;

/// How deep substitutions are read, and once more for what is read as it stands.
const LEVELS: usize = 17;

/// Any text: read within bounds, with every plain path in it among the words. The same text cut into
/// lines, each one word in quotes of some kind: every word is found as it was.
pub(crate) fn shell_words(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let script = ShellScript::read(&text);
    let words = script.words().count();
    assert!(words <= LEVELS * (text.len() + 1), "{words} words in {} bytes", text.len());
    let bytes: usize = script.words().map(|word| word.text.len()).sum();
    assert!(bytes <= LEVELS * (3 * text.len() + 1), "{bytes} bytes in {}", text.len());

    // What begins no comment, quote or substitution stands for itself.
    if text.chars().all(|letter| is_plain(letter) || " \t\n;|&".contains(letter)) {
        for path in text.split(|letter| !is_plain(letter)).filter(|path| path.contains('/')) {
            assert!(script.words().any(|word| word.text == path), "{path} of {text:?}");
        }
    }

    let wanted: Vec<&str> = text.split(['\n', '\0']).filter(|word| !word.is_empty()).collect();
    let mut quoted = String::new();
    for (index, word) in wanted.iter().enumerate() {
        quoted.push_str(["exec ", "a && ", "x | y ", "$(z ", "if ", "cd x; ", "A=1 "][index % 7]);
        quoted.push_str(&in_quotes(word, word.len() + index));
        quoted.push_str(if index % 7 == 3 { ")\n" } else { "\n" });
    }
    if quoted.len() > toolgate_config::shell::LONGEST_SCRIPT {
        return;
    }
    let script = ShellScript::read(&quoted);
    assert!(!script.is_cut, "{quoted:?}");
    for word in wanted {
        let found = script.words().find(|found| found.text == word);
        assert!(found.is_some_and(|found| !found.is_made), "{word:?} of {quoted:?}");
    }
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "./_-@%+,:".contains(letter)
}

/// One of the ways in which a shell can be told a word.
fn in_quotes(word: &str, way: usize) -> String {
    match way % 4 {
        0 => format!("'{}'", word.replace('\'', "'\\''")),
        1 => {
            let mut quoted = String::from("\"");
            for letter in word.chars() {
                if "$`\"\\".contains(letter) {
                    quoted.push('\\');
                }
                quoted.push(letter);
            }
            quoted + "\""
        }
        2 => word.chars().flat_map(|letter| ['\\', letter]).collect(),
        _ => format!("$'{}'", word.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}
