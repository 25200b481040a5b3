//! Python's options, in the spellings that it takes.

use super::{Options, Told};
use crate::shell::ShellScript;

#[test]
fn what_runs_is_found_behind_any_options() {
    for (line, told) in [
        ("-m server", Told::Module("server")),
        ("-mserver", Told::Module("server")),
        ("-um server x", Told::Module("server")),
        ("-Wignore -X dev -umserver", Told::Module("server")),
        ("-W ignore -B -c 'import a'", Told::Code("import a")),
        ("--check-hash-based-pycs never -I a.py -m b", Told::Script("a.py")),
        ("- x", Told::Script("-")),
    ] {
        let words: Vec<_> = ShellScript::read(line).words().cloned().collect();
        assert_eq!(Options::read(&words).told, Some(told), "{line}");
    }
    let words: Vec<_> = ShellScript::read("-Em x").words().cloned().collect();
    let options = Options::read(&words);
    assert!(options.is_isolated && !options.is_safe);
}
