//! Credentials that stand in a file as they are, and variables that are not set: said, never repeated.

use crate::support::World;

/// In a shape that is no everyday word, and of nobody.
const CANARY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

#[test]
fn a_credential_in_a_file_is_warned_of_by_its_name_and_by_its_shape() {
    let world = World::new().with("BROUGHT", "canary-from-outside");
    world.write(
        World::GLOBAL,
        &format!(
            "[servers.a]\ncommand = \"x\"\nargs = [\"--api-key={CANARY}\", \"plain\"]\n\
             [servers.a.env]\nGITHUB_TOKEN = \"canary-1\"\nMODE = \"fast\"\nODD = \"{CANARY}\"\n\
             FINE_TOKEN = \"${{BROUGHT}}\"\n\
             [servers.b]\nurl = \"https://b.example/mcp?team=core\"\n\
             [servers.b.headers]\nAuthorization = \"Bearer canary-2\"\nX-Team = \"core\"\n"
        ),
    );
    let ran = world.run(&["config", "check"]).ok();
    let warned: Vec<&str> =
        ran.stdout.lines().filter(|line| line.contains("[literal-credential]")).collect();
    let about = |words: &str| warned.iter().filter(|line| line.contains(words)).count();
    assert_eq!(warned.len(), 4, "{ran:?}");
    for words in ["`GITHUB_TOKEN` in `env`", "`ODD` in `env`", "`args`", "`Authorization`"] {
        assert_eq!(about(words), 1, "{words}: {ran:?}");
    }
    assert!(ran.stdout.contains(":5: warning[literal-credential]: servers.a.env.GITHUB_TOKEN"));
    let doctor = world.run(&["doctor"]);
    assert!(doctor.stdout.contains("literal-credential"), "{doctor:?}");
    let json = world.run(&["config", "check", "--json"]).ok();
    for said in [&ran.stdout, &doctor.stdout, &json.stdout] {
        assert!(!said.contains("canary") && !said.contains(CANARY), "{said}");
    }
}

#[test]
fn whoever_adds_one_is_told() {
    let world = World::new();
    let header = "Authorization=Bearer canary-3";
    let add = ["add", "a", "https://a.example/mcp", "--scope", "global", "--header", header];
    let ran = world.run_at_terminal(&add, "n\n").ok().stdout;
    assert!(ran.contains("literal-credential") && ran.contains("servers.a.headers"), "{ran}");
    assert!(ran.contains("bearer_token_env") && !ran.contains("canary"), "{ran}");
    let ran = world.run(&["add", "b", "https://b.example/mcp", "--header", "X-Team=core"]).ok();
    assert!(!ran.stderr.contains("literal-credential"), "{ran:?}");
}

#[test]
fn variables_that_are_named_and_not_set_are_named() {
    let world = World::new().with("THERE", "x").with("EMPTY", "");
    world.write(
        World::GLOBAL,
        "[servers.a]\nurl = \"https://a.example/mcp\"\nbearer_token_env = \"A_TOKEN\"\n\
         env_headers = { X-One = \"THERE\", X-Two = \"EMPTY\" }\n\
         [servers.b]\ncommand = \"x\"\nenv_vars = [\"THERE\", \"B_TOKEN\"]\n\
         [servers.off]\nurl = \"https://a.example/mcp\"\nbearer_token_env = \"C\"\nenabled = false\n",
    );
    let ran = world.run(&["config", "check"]).ok();
    for name in ["A_TOKEN", "EMPTY", "B_TOKEN"] {
        let words = format!("the variable {name} is not set here");
        assert_eq!(ran.stdout.matches(&words).count(), 1, "{words}: {ran:?}");
    }
    assert_eq!(ran.stdout.matches("[unset-variable]").count(), 3, "{ran:?}");
    assert!(
        ran.stdout.contains(":3: warning[unset-variable]: servers.a.bearer_token_env"),
        "{ran:?}"
    );
}
