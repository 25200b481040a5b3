//! Python's options, in the spellings that it takes.

use super::{PythonOptions, PythonTarget};
use crate::shell::ShellScript;

#[test]
fn what_runs_is_found_behind_any_options() {
    for (line, told) in [
        ("-m server", PythonTarget::Module("server")),
        ("-mserver", PythonTarget::Module("server")),
        ("-um server x", PythonTarget::Module("server")),
        ("-Wignore -X dev -umserver", PythonTarget::Module("server")),
        ("-W ignore -B -c 'import a'", PythonTarget::Code("import a")),
        ("--check-hash-based-pycs never -I a.py -m b", PythonTarget::Script("a.py")),
        ("- x", PythonTarget::Script("-")),
    ] {
        let words: Vec<_> = ShellScript::read(line).words().cloned().collect();
        assert_eq!(PythonOptions::read(&words).told, Some(told), "{line}");
    }
    let words: Vec<_> = ShellScript::read("-Em x").words().cloned().collect();
    let options = PythonOptions::read(&words);
    assert!(options.is_isolated && !options.is_safe);
}
