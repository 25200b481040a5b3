//! What works behind walls as it does without: reading, writing in the workspace, building, scripts.

use std::fs;
use std::process::Command;

use super::{Around, has_walls, said};

async fn shell(around: &Around, words: &str) -> String {
    let mut description = around.command("/bin/sh", &["-c", words]);
    description.env.insert(
        toolgate_types::EnvName::parse("PATH").unwrap(),
        toolgate_types::ConfigText::Plain(std::env::var("PATH").unwrap()),
    );
    let (words, exit) = said(around, &description).await;
    assert!(exit.is_success(), "{exit}: {words}");
    words
}

#[tokio::test]
async fn the_workspace_and_the_private_tmp_are_written_to() {
    if !has_walls().await {
        return;
    }
    let around = Around::new();
    let words = shell(
        &around,
        "echo mine > new && cat new && mkdir -p a/b && mv new a/b && echo x > /tmp/of-the-walls && cat /tmp/of-the-walls && \
         echo y > /dev/null && pwd && cat .git/config && hostname",
    )
    .await;
    let workspace = around.workspace().canonicalize().unwrap();
    let expected = format!("mine\nx\n{}\n{}sandbox\n", workspace.display(), super::around::CANARY);
    assert_eq!(words, expected);
    assert_eq!(fs::read_to_string(around.at("work/a/b/new")).unwrap(), "mine\n");
    assert!(!std::path::Path::new("/tmp/of-the-walls").exists());
}

#[tokio::test]
async fn what_an_entry_names_is_seen_and_nothing_beside_it() {
    if !has_walls().await {
        return;
    }
    let mut around = Around::new();
    fs::create_dir_all(around.at("home/shared/deep")).unwrap();
    fs::write(around.at("home/shared/deep/file"), "shared").unwrap();
    around.confinement.readable.push("~/shared".to_owned());
    around.confinement.writable.push("../work-sibling".to_owned());
    let home = around.at("home").display().to_string();
    let words = shell(
        &around,
        &format!(
            "cat {home}/shared/deep/file && echo ok > ../work-sibling/new && ls -a {home} && \
             ! echo no > {home}/shared/new && ! cat {home}/.ssh/id_test"
        ),
    )
    .await;
    assert!(words.starts_with("shared.\n..\nshared\n"), "{words}");
    assert_eq!(fs::read_to_string(around.at("work-sibling/new")).unwrap(), "ok\n");
}

#[tokio::test]
async fn scripts_of_every_language_that_is_here_run() {
    if !has_walls().await {
        return;
    }
    let around = Around::new();
    fs::write(
        around.at("work/a.py"),
        "import json, os; print(json.dumps({'cwd': 1})); os.getpid()",
    )
    .unwrap();
    fs::write(
        around.at("work/a.mjs"),
        "import os from 'node:os'; console.log(os.cpus().length > 0)",
    )
    .unwrap();
    let there = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    for (program, script, expected) in
        [("/usr/bin/python3", "a.py", "{\"cwd\": 1}\n"), ("node", "a.mjs", "true\n")]
    {
        match there(program) {
            true => assert_eq!(shell(&around, &format!("{program} {script}")).await, expected),
            false => eprintln!("SKIPPED: {program} is not here"),
        }
    }
    if there("git") {
        fs::remove_dir_all(around.at("work/.git")).unwrap();
        let made =
            Command::new("git").arg("init").arg("-q").current_dir(around.workspace()).status();
        assert!(made.unwrap().success());
        let words = shell(&around, "git -c safe.directory='*' status --porcelain").await;
        assert!(words.contains("?? a.py"), "{words}");
    }
}
