//! The long steps, with short ones in their place.

use std::fs;

use anyhow::bail;
use xtask::full::{self, FULL_STEPS, FullStep};

const GOOD: FullStep =
    FullStep { verb: "good", report: "good.md", run: |_| Ok("# Good\n".to_owned()) };
const BAD: FullStep = FullStep { verb: "bad", report: "bad.md", run: |_| bail!("no luck") };

#[test]
fn each_step_says_how_long_it_took_and_keeps_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = Vec::new();
    full::run(folder.path(), &[GOOD], |line| said.push(line.to_owned())).unwrap();
    assert_eq!(said[..2], ["full: good", "# Good\n"]);
    assert!(said[2].starts_with("full: ") && said[2].ends_with(" s for: good"), "{said:?}");
    assert_eq!(fs::read_to_string(folder.path().join("good.md")).unwrap(), "# Good\n");
}

#[test]
fn one_that_fails_fails_the_whole_after_the_others_ran() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = String::new();
    let outcome = full::run(folder.path(), &[BAD, GOOD], |line| said.push_str(line));
    assert_eq!(outcome.unwrap_err().to_string(), "failed: bad");
    assert!(said.contains("full: bad failed: no luck"), "{said}");
    assert!(folder.path().join("good.md").exists());
    assert!(!folder.path().join("bad.md").exists());
}

/// Whoever shortens another step there has to run it whole here.
#[test]
fn all_that_continuous_integration_shortens_is_run_whole() {
    let root = xtask::repository::root().unwrap();
    let script = fs::read_to_string(root.join(".ci/run")).unwrap();
    let shortened = script
        .lines()
        .filter_map(|line| line.trim().strip_prefix("step \"$xtask\" ")?.strip_suffix(" --tenth"));
    assert_eq!(shortened.collect::<Vec<_>>(), FULL_STEPS.map(|step| step.verb));
}
