//! Which file a name means, with real files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn file(path: &Path, mode: u32) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    path.to_owned()
}

fn search(name: &str, folder: &Path, path: &[&Path]) -> Result<PathBuf, ProgramError> {
    let path = std::env::join_paths(path).unwrap();
    find(&ConfigText::Plain(name.into()), folder, Some(&path))
}

#[test]
fn a_bare_name_is_the_first_executable_file_of_the_path() {
    let top = folder();
    let (a, b, c) = (top.path().join("a"), top.path().join("b"), top.path().join("c"));
    fs::create_dir_all(a.join("tool")).unwrap();
    file(&b.join("tool"), 0o644);
    let fit = file(&c.join("tool"), 0o755);
    assert_eq!(search("tool", top.path(), &[&a, &b, &c]), Ok(fit));
}

/// Shows: S4-11.
#[test]
fn the_working_directory_is_never_searched_by_accident() {
    let top = folder();
    file(&top.path().join("tool"), 0o755);
    file(&top.path().join("bin/tool"), 0o755);
    let empty = top.path().join("empty");
    let elements = [Path::new(""), Path::new("."), Path::new("bin"), &empty];
    let error = search("tool", top.path(), &elements).unwrap_err();
    let searched = vec![empty.clone()];
    let skipped = vec!["".into(), ".".into(), "bin".into()];
    let looked = ProgramSearch::Path { searched, skipped };
    assert_eq!(error, ProgramError::NotFound { name: "tool".into(), looked });
    let expected = format!(
        "command `tool` was not found: searched `{}`; passed over in PATH, because not absolute: \
         ``, `.`, `bin`",
        empty.display()
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_name_with_a_slash_counts_from_the_folder_and_not_from_the_path() {
    let top = folder();
    let tool = file(&top.path().join("bin/tool"), 0o755);
    assert_eq!(search("bin/tool", top.path(), &[]).unwrap(), tool);
    assert_eq!(search("./bin/tool", top.path(), &[]).unwrap().canonicalize().unwrap(), tool);
    assert_eq!(search(tool.to_str().unwrap(), Path::new("/"), &[]).unwrap(), tool);
    let error = search("./tool", top.path(), &[&top.path().join("bin")]).unwrap_err();
    assert!(
        matches!(error, ProgramError::NotFound { looked: ProgramSearch::At(_), .. }),
        "{error}"
    );
}

#[test]
fn the_nearest_miss_is_what_is_reported() {
    let top = folder();
    let (a, b) = (top.path().join("a"), top.path().join("b"));
    let plain = file(&a.join("plain"), 0o644);
    fs::create_dir_all(b.join("folder")).unwrap();
    let error = search("plain", top.path(), &[&a, &b]).unwrap_err();
    assert_eq!(error, ProgramError::NotExecutable { name: "plain".into(), path: plain });
    let error = search("folder", top.path(), &[&a, &b]).unwrap_err();
    assert_eq!(error, ProgramError::Directory { name: "folder".into(), path: b.join("folder") });
    let error = search("/dev/null", top.path(), &[]).unwrap_err();
    assert!(matches!(error, ProgramError::NotAFile { .. }), "{error}");
}

#[test]
fn no_name_and_no_path_are_told_apart() {
    assert_eq!(search("", Path::new("/"), &[]), Err(ProgramError::Empty));
    let error = find(&ConfigText::Plain("sh".into()), Path::new("/bin"), None).unwrap_err();
    assert_eq!(error.to_string(), "command `sh` was not found: its environment has no PATH");
}

#[test]
fn a_secret_name_is_not_told() {
    let name = ConfigText::expanded("${TOOL}".into(), "hush".into());
    let error = find(&name, Path::new("/"), None).unwrap_err();
    assert!(!error.to_string().contains("hush"), "{error}");
}
