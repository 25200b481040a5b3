//! Code that was installed for one process: seen at one place, changed beside it, and never itself.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use toolgate_sandbox::{PackageFolder, SpawnError, WallError};
use toolgate_types::config::OuterWall;

use super::{Around, has_walls, said};

const COUNTS: &str = "#!/bin/sh\necho one >> /package/lib/count && cat /package/lib/count\n";

/// Whether code that changes can be shown at all: who builds with `bwrap` refuses it.
async fn has_changing_code() -> bool {
    let is_own = Around::new().outer == OuterWall::Builtin;
    if !is_own {
        eprintln!("SKIPPED: `bwrap` builds no place for code that changes");
    }
    is_own && has_walls().await
}

/// Code in a folder whose name has what separates folders in the kernel's options.
fn installed() -> Around {
    let around = Around::new();
    let code = around.at("state/a:b,c\\d");
    for folder in [code.join("bin"), code.join("lib"), around.at("state/up"), around.at("state/w")]
    {
        fs::create_dir_all(folder).unwrap();
    }
    let program = code.join("bin/counts");
    fs::write(&program, COUNTS).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    around
}

fn changed(around: &Around) -> PackageFolder {
    PackageFolder::Changed {
        code: around.at("state/a:b,c\\d"),
        changes: around.at("state/up"),
        workspace: around.at("state/w"),
    }
}

#[tokio::test]
async fn what_a_program_writes_beside_its_code_lasts_and_the_code_stays_as_it_is() {
    if !has_changing_code().await {
        return;
    }
    let mut around = installed();
    around.package = Some(changed(&around));
    let counts = around.command("/package/bin/counts", &[]);
    assert_eq!(said(&around, &counts).await.0, "one\n");
    assert_eq!(said(&around, &counts).await.0, "one\none\n");
    let code = around.at("state/a:b,c\\d");
    assert_eq!(fs::read_dir(code.join("lib")).unwrap().count(), 0);
    // It may take its own code away, as far as it sees.
    let rewrites = around.command("/bin/sh", &["-c", "rm /package/bin/counts; ls /package/bin"]);
    assert_eq!(said(&around, &rewrites).await.0, "");
    assert_eq!(fs::read_to_string(code.join("bin/counts")).unwrap(), COUNTS);
    assert!(around.is_untouched());
}

#[tokio::test]
async fn installed_code_is_read_and_not_written() {
    if !has_walls().await {
        return;
    }
    let mut around = installed();
    around.package = Some(PackageFolder::Installed(around.at("state/a:b,c\\d")));
    let (words, exit) = said(&around, &around.command("/package/bin/counts", &[])).await;
    assert!(!exit.is_success(), "{words}");
    assert!(words.contains("Read-only") || words.contains("denied"), "{words}");
    around.package = Some(PackageFolder::Installing(around.at("state/a:b,c\\d")));
    let (words, exit) = said(&around, &around.command("/package/bin/counts", &[])).await;
    assert_eq!((words.as_str(), exit.is_success()), ("one\n", true));
}

/// What the state folder holds besides is nobody's business.
#[tokio::test]
async fn nothing_beside_the_code_is_seen() {
    if !has_changing_code().await {
        return;
    }
    let mut around = installed();
    around.package = Some(changed(&around));
    let state = around.at("state").display().to_string();
    let (words, _) =
        said(&around, &around.command("/bin/sh", &["-c", "ls /package/.. \"$0\"", &state])).await;
    assert!(!words.contains("state.db") && words.contains("package"), "{words}");
}

#[tokio::test]
async fn who_else_builds_the_outer_wall_has_no_place_for_it() {
    let mut around = installed();
    around.package = Some(changed(&around));
    for outer in [OuterWall::Container, OuterWall::Bwrap] {
        around.outer = outer;
        let refused = around.spawn(&around.command("/package/bin/counts", &[])).await.unwrap_err();
        let is_named = matches!(&refused, SpawnError::Walls(WallError::PackageElsewhere));
        assert!(is_named, "{outer:?}: {refused}");
    }
}
