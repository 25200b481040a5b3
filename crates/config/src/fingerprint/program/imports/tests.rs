//! What is found in the text of a source file.

use super::{PythonImport, is_dynamic_javascript, is_dynamic_python, of_javascript, of_python};

#[test]
fn imports_of_python_are_found_in_every_form() {
    let text = "import os, pkg.sub as s\nif x: from .near import (a,\n  b as c)  # two\n\
                from .. import \\\n  up\n    import late; import later\n";
    let import = |levels, module: &str, names: &[&str]| PythonImport {
        levels,
        module: module.to_owned(),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let expected = [
        import(0, "os", &[]),
        import(0, "pkg.sub", &[]),
        import(1, "near", &["a", "b"]),
        import(2, "", &["up"]),
        import(0, "late", &[]),
        import(0, "later", &[]),
    ];
    assert_eq!(of_python(text), expected);
    assert!(is_dynamic_python("m = importlib.import_module(name)"));
    assert!(!is_dynamic_python(text));
}

#[test]
fn strings_that_name_a_neighbour_are_found() {
    let text = "import a from './a.js'; const b = require(\"../b\"), c = await import(`./c`)\n\
                export * from \"lodash\"; let broken = './d\n'";
    assert_eq!(of_javascript(text), ["./a.js", "../b", "./c", "./d"]);
    assert!(!is_dynamic_javascript(text));
    assert!(is_dynamic_javascript("require( name )"));
}
