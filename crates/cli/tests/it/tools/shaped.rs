//! What an entry makes of its tools, and what a step of a workflow shows of them.

use toolgate_testkit::Act;

use super::offering;
use crate::support::World;

/// What agents see and call is what the entry makes of it; the server and policies know its own name.
#[test]
fn a_tool_is_shown_and_called_as_its_entry_shapes_it() {
    let search = r#"{"name":"search_v2","description":"Long.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},"repo":{"type":"string"}},"required":["q","repo"]}}"#;
    let script = offering(&format!(r#"{search},{{"name":"drop"}}"#))
        .on_call("search_v2", [Act::say("in ${message:/params/arguments/repo}")]);
    let world = World::new();
    world.local("code", &script);
    let before = world.read(World::GLOBAL);
    let shape = "[servers.code.tools.search_v2]\nrename = \"find\"\n\
                 description = \"Finds code.\"\nhide_parameters = [\"repo\"]\n\
                 default = { repo = \"ours\" }\n[servers.code.tools.drop]\ndefault = { a = 1 }\n";
    world.write(World::GLOBAL, &format!("{}\n{shape}", before.trim_end()));
    let ran = world.run(&["tools"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    name        server  tool                            description
    code__drop  code    drop
    code__find  code    find (at the server search_v2)  Finds code.
    ");
    let shown = world.run(&["tools", "show", "code", "find", "--json"]).ok().stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["ownName"], &shown["definition"]["name"]),
        (&"search_v2".into(), &"find".into())
    );
    assert!(shown["definition"]["inputSchema"]["properties"].get("repo").is_none(), "{shown}");
    for words in [&["code__find", "q=x"][..], &["code", "find", "q=x"]] {
        let ran = world.run(&[&["call"], words].concat()).ok();
        assert_eq!(ran.stdout, "in ours\n");
    }
    let ran = world.run(&["call", "code__find", "q=x", "repo=theirs"]).fails_with(1);
    assert!(ran.stderr.contains("the parameter `repo` cannot be given"), "{ran:?}");
    let ran = world.run(&["call", "code", "search_v2", "q=x"]).fails_with(1);
    assert!(ran.stderr.contains("gives this tool another name"), "{ran:?}");
    for name in ["find", "search_v2"] {
        let ran = world.run(&["explain", "code", name]).ok();
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.stdout, @r#"
            tool      code/search_v2
            shown     listed itself
            shaped    named `find`; described in other words; without `repo`; `repo` is "ours" where it is left out
            decision  allow: `approval = "approve"` of the server
            "#);
        }
    }
    let ran = world.run(&["tools", "search", "find", "code", "--json"]).ok();
    assert!(ran.stdout.contains("Finds code.") && !ran.stdout.contains("Long."), "{ran:?}");
    let found = world.read(World::GLOBAL).replace("default = { repo = \"ours\" }\n", "");
    world.write(World::GLOBAL, &found);
    let ran = world.run(&["tools"]).ok();
    assert!(ran.stderr.contains("`repo` is hidden, the tool requires it"), "{ran:?}");
}

/// Shows: P11-2.
#[test]
fn a_step_of_a_workflow_is_listed_and_its_servers_alone_are_started() {
    let world = World::new();
    world.local("files", &offering(r#"{"name":"read"},{"name":"write"}"#));
    world.server("gone", "command = \"no-such-command-anywhere\"");
    let before = world.read(World::GLOBAL);
    let steps = "[bundles.reading]\nserver = \"files\"\nallow_tools = [\"read\"]\n\
                 [workflows.ship.coder]\nlook = [\"reading\"]\nrest = []\n";
    world.write(World::GLOBAL, &format!("{before}\n{steps}"));
    let at = |step| ["--workflow", "ship", "--role", "coder", "--step", step];
    let ran = world.run(&[&["tools"][..], &at("look")].concat()).ok();
    insta::assert_snapshot!(ran.stdout, @"
    name         server  tool  description
    files__read  files   read
    ");
    assert_eq!(ran.stderr, "");
    let ran = world.run(&[&["tools"][..], &at("rest")].concat()).ok();
    assert!(!ran.stdout.contains("read"), "{ran:?}");
    let ran = world.run(&[&["tools"][..], &at("lok")].concat()).fails_with(1);
    assert!(ran.stderr.contains("has no such step") && ran.stderr.contains("look"), "{ran:?}");
    let ran = world.run(&[&["explain", "files", "write"][..], &at("look")].concat()).ok();
    assert!(ran.stdout.contains("hidden"), "{ran:?}");
    world.run(&["tools", "--workflow", "ship", "--role", "coder"]).fails_with(2);
    world.run(&["tools", "--step", "look"]).fails_with(2);
    world.run(&["tools", "--role", "coder", "--bundles", "reading"]).fails_with(2);
}

/// What `tools` lists for a role or a step, `call` calls for it, and nothing else; with fewer bundles there is
/// less, and none that the step does not have.
///
/// Shows: P11-2.
#[test]
fn a_call_at_a_step_reaches_what_the_step_lists() {
    let world = World::new();
    let script = offering(r#"{"name":"read"},{"name":"write"}"#);
    let script = script.on_call("read", [Act::say("read")]).on_call("write", [Act::say("written")]);
    world.local_with("files", &script, "approval = \"approve\"\n");
    let before = world.read(World::GLOBAL);
    let steps = "[bundles.reading]\nserver = \"files\"\nallow_tools = [\"read\"]\n\
                 [bundles.writing]\nserver = \"files\"\nallow_tools = [\"write\"]\n\
                 [roles.coder]\nbundles = [\"reading\"]\n\
                 [workflows.ship.coder]\nlook = [\"reading\"]\nfix = [\"reading\", \"writing\"]\n";
    world.write(World::GLOBAL, &format!("{before}\n{steps}"));
    let at = |step| vec!["--workflow", "ship", "--role", "coder", "--step", step];
    let with = |step, bundles| [at(step), vec!["--bundles", bundles]].concat();
    for (name, place) in [
        (["files__read"].as_slice(), at("look")),
        (&["files", "read"], at("look")),
        (&["files__write"], at("fix")),
        (&["files", "write"], with("fix", "writing")),
        (&["files__read"], vec!["--role", "coder"]),
    ] {
        let ran = world.run(&[&["call"], name, &place].concat()).ok();
        let said = if name.concat().ends_with("read") { "read\n" } else { "written\n" };
        assert_eq!(ran.stdout, said, "{place:?}");
    }
    for (name, place) in [
        (["files__write"].as_slice(), at("look")),
        (&["files", "write"], at("look")),
        (&["files__read"], with("fix", "writing")),
        (&["files", "write"], vec!["--role", "coder"]),
    ] {
        let ran = world.run(&[&["call"], name, &place].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{place:?}: {ran:?}");
    }
    let ran = world.run(&[&["tools"][..], &with("fix", "writing")].concat()).ok();
    assert!(ran.stdout.contains("files__write") && !ran.stdout.contains("read"), "{ran:?}");
    for verb in [&["tools"][..], &["call", "files__write"], &["explain", "files", "write"]] {
        let ran = world.run(&[verb, &with("look", "writing")].concat()).fails_with(1);
        assert!(ran.stderr.contains("step ship/coder/look has no such bundle"), "{ran:?}");
    }
}
