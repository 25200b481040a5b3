//! Homes, and what is none.

use std::path::{Path, PathBuf};

use super::{homes_in, stands_above};

#[test]
fn a_home_and_all_above_it_are_no_projects_and_what_lies_below_is() {
    let world = tempfile::tempdir().unwrap();
    let world = world.path().canonicalize().unwrap();
    let (home, other) = (world.join("a/me"), world.join("b/you"));
    for folder in [&home.join("project/src"), &other, &world.join("c")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::os::unix::fs::symlink(&home, world.join("link")).unwrap();
    let is_none = |folder: &Path| {
        stands_above(folder, Some(&world.join("link")), [other.clone()].into_iter())
    };
    for folder in [&home, &world.join("a"), &world, &other, &world.join("b"), &world.join("link")] {
        assert!(is_none(folder), "{}", folder.display());
    }
    assert!(is_none(&home.join("project/..")) && is_none(Path::new("/")));
    for folder in ["/home", "/home/somebody", "/Users/somebody"] {
        assert!(is_none(Path::new(folder)), "{folder}");
    }
    for folder in [&home.join("project"), &home.join("project/src"), &world.join("c")] {
        assert!(!is_none(folder), "{}", folder.display());
    }
    assert!(!is_none(Path::new("/home/somebody/project")));
}

#[test]
fn accounts_that_programs_run_as_have_no_homes_here() {
    let accounts = "root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33::/var/www:/bin/false\n\
                    somebody:x:1000:1000::/data/somebody:/bin/sh\nbroken\n";
    let homes: Vec<PathBuf> = homes_in(accounts).collect();
    assert_eq!(homes, [PathBuf::from("/root"), PathBuf::from("/data/somebody")]);
}
