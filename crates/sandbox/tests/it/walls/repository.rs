//! A repository that may be written to: a commit works, and what runs something in it stays as it is, whether
//! it is there or not. And sockets, which are made where nothing is protected.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Around, PROBE, has_walls, said};
use crate::command;

const GIT: &str = "/usr/bin/git";

/// What must not change, each with words that would change it.
const CLOSED: [&str; 10] = [
    "echo x > .git/hooks/pre-commit",
    "mkdir .git/hooks",
    "mkdir made && touch made/pre-commit && mv made .git/hooks",
    "ln -s ../sub .git/hooks",
    "echo x >> .git/config",
    "cp sub/own .git/config",
    "mv sub/own .git/config",
    "mkdir .git/info",
    "echo x > .git/info/attributes",
    "mv .git/hooks .git/old",
];

fn around_repository() -> Around {
    let mut around = Around::new();
    fs::remove_dir_all(around.at("work/.git")).unwrap();
    let made = Command::new(GIT).args(["init", "-q"]).current_dir(around.workspace()).status();
    assert!(made.unwrap().success());
    fs::write(around.at("work/sub/own"), "[core]\n").unwrap();
    around.confinement.writable.push(".git".to_owned());
    around
}

async fn works(around: &Around, words: &str) -> (String, bool) {
    let mut description = around.command("/bin/sh", &["-c", words]);
    description.env = command("", &[]).env;
    description.env.insert(
        toolgate_types::EnvName::parse("PATH").unwrap(),
        toolgate_types::ConfigText::Plain("/usr/bin:/bin".to_owned()),
    );
    let (words, exit) = said(around, &description).await;
    (words, exit.is_success())
}

#[tokio::test]
async fn a_commit_works_and_nothing_that_runs_something_changes() {
    if !has_walls().await || !Path::new(GIT).exists() {
        return eprintln!("SKIPPED: no walls, or there is no git here");
    }
    for is_there in [true, false] {
        let around = around_repository();
        let (hooks, info) = (around.at("work/.git/hooks"), around.at("work/.git/info"));
        let config = fs::read_to_string(around.at("work/.git/config")).unwrap();
        for folder in [&hooks, &info] {
            fs::remove_dir_all(folder).unwrap_or_default();
            if is_there {
                fs::create_dir(folder).unwrap();
            }
        }
        let commit = "git -c user.name=a -c user.email=a@b -c safe.directory='*' add sub && \
                      git -c user.name=a -c user.email=a@b -c safe.directory='*' commit -q -m x && \
                      git -c safe.directory='*' log --oneline | wc -l";
        assert_eq!(works(&around, commit).await, ("1\n".to_owned(), true));
        for words in CLOSED {
            let (said, worked) = works(&around, words).await;
            assert!(!worked, "{words}: {said}");
        }
        assert_eq!(fs::read_to_string(around.at("work/.git/config")).unwrap(), config);
        for folder in [&hooks, &info] {
            assert_eq!(folder.exists(), is_there);
            assert!(!is_there || folder.read_dir().unwrap().next().is_none());
        }
    }
}

/// Nobody makes a socket in a program's stead, so there is none right in the workspace; nor in a folder that the
/// workspace lies in, since a list of the kernel's that allowed that would allow both.
///
/// It is also what shows that the kernel itself holds names there, whoever wins a race.
#[tokio::test]
async fn a_socket_is_made_in_a_folder_of_the_workspace_and_not_right_in_it() {
    if !has_walls().await {
        return;
    }
    for (home, bound_in_home) in [("home", true), ("", false)] {
        let mut around = Around::new();
        around.home = around.at(home);
        let in_home = around.home.join("socket").display().to_string();
        let in_tmp = "/var/tmp/socket";
        for (path, bound) in [
            ("socket", false),
            (".git/socket", false),
            ("sub/socket", true),
            (in_tmp, true),
            (&in_home, bound_in_home),
        ] {
            let (words, _) = said(&around, &around.command(&PROBE, &["bind", path])).await;
            // A kernel without Landlock does not know the difference.
            let is_so = words == format!("{bound}\n") || words == "no Landlock\n";
            assert!(is_so, "{path} with the home {home:?}: {words}");
        }
        // Everything else is made there all the same.
        let home = around.home.display().to_string();
        let words = format!(
            "mkdir -p {home}/.cache/x && echo a > {home}/.cache/x/y && mv {home}/.cache/x {home}/.cache/z && \
             cat {home}/.cache/z/y && ln -s z {home}/link && mkfifo {home}/pipe && echo b > {home}/file"
        );
        assert_eq!(works(&around, &words).await, ("a\n".to_owned(), true));
    }
}
