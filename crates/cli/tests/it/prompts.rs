//! `prompts`: a person lists them and uses one, addressed by server and name.

use toolgate_testkit::{Act, Script, everything};

use crate::support::{World, served, without_reference};

fn world() -> World {
    let world = World::new();
    world.local("s", &everything::legacy());
    world
}

#[test]
fn prompts_are_listed_with_their_arguments() {
    let world = world();
    insta::assert_snapshot!(world.run(&["prompts", "list"]).ok().stdout, @"
    server  name                                arguments    description
    s       test_input_required_result_prompt                test_input_required_result_prompt
    s       test_prompt_with_arguments          arg1 arg2    test_prompt_with_arguments
    s       test_prompt_with_embedded_resource  resourceUri  test_prompt_with_embedded_resource
    s       test_prompt_with_image                           test_prompt_with_image
    s       test_simple_prompt                               test_simple_prompt
    ");
    let prompt = r#"{"prompts":[{"name":"p\u200b","title":"A prompt","arguments":[{"name":"a","required":true},{"name":"b"}]}]}"#;
    let script = Script::legacy().offering(r#"{"prompts":{}}"#);
    world.local("t", &script.on("prompts/list", [Act::answer(prompt)]));
    insta::assert_snapshot!(world.run(&["prompts", "list", "--server", "t"]).ok().stdout, @r"
    server  name       arguments  description
    t       p\u{200b}  a [b]      A prompt
    ");
    let json = world.run(&["mcp", "prompts", "list", "--json"]).ok().json();
    insta::assert_json_snapshot!(json["prompts"][1], @r#"
    {
      "server": "s",
      "name": "test_prompt_with_arguments",
      "description": "test_prompt_with_arguments",
      "definition": {
        "name": "test_prompt_with_arguments",
        "description": "test_prompt_with_arguments",
        "arguments": [
          {
            "name": "arg1",
            "description": "arg1",
            "required": true
          },
          {
            "name": "arg2",
            "description": "arg2",
            "required": true
          }
        ]
      }
    }
    "#);
}

/// Shows: S1-88, S4-31, S4-41.
#[test]
fn a_person_uses_a_prompt_by_server_and_name() {
    let world = world();
    let get = |arguments: &[&str]| world.run(&[&["prompts", "get", "s"], arguments].concat());
    // Every value is text, also what looks like a number.
    let ran = get(&["test_prompt_with_arguments", "arg1=5", "arg2=a=b"]).ok();
    assert_eq!(ran.stdout, "user: Prompt with arguments: arg1='5', arg2='a=b'\n");
    let ran = get(&["test_prompt_with_image", "--out", "."]).ok();
    insta::assert_snapshot!(without_reference(&ran.stdout), @"
    user: wrote image/png (70 bytes) to ./toolgate-<ref>-1.png
    user: Please analyze the image above.
    ");
    let ran = get(&["test_simple_prompt", "--json"]).ok();
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "schemaVersion": 1,
      "server": "s",
      "prompt": "test_simple_prompt",
      "result": {"messages":[{"role":"user","content":{"type":"text","text":"This is a simple prompt for testing."}}]}
    }
    "#);
}

#[test]
fn values_reach_the_server_as_texts() {
    let (_runtime, site) = served(everything::legacy());
    let world = World::new();
    world.server("s", &format!("url = {:?}", site.url("/mcp")));
    let name = "test_prompt_with_arguments";
    world.run(&["prompts", "get", "s", name, "arg1=5", "arg2="]).ok();
    let asked = site.visits().into_iter().find(|visit| visit.posts("prompts/get")).unwrap();
    assert!(asked.body.contains(r#""arguments":{"arg1":"5","arg2":""}"#), "{}", asked.body);
}

#[test]
fn what_goes_wrong_has_its_exit_code() {
    let (_runtime, site) = served(everything::legacy());
    let world = World::new();
    let keys = "deny_prompts = [\"*_image\"]";
    world.server("s", &format!("url = {:?}\n{keys}", site.url("/mcp")));
    let ran = world.run(&["prompts", "get", "s", "nope"]).fails_with(1);
    assert!(ran.stderr.contains("unknown prompt (invalid_argument, ref "), "{ran:?}");
    world.run(&["prompts", "get", "s", "test_simple_prompt", "noequals"]).fails_with(2);
    let before = site.visits().iter().filter(|visit| visit.posts("prompts/get")).count();
    world.run(&["prompts", "get", "s", "test_prompt_with_image"]).fails_with(1);
    let after = site.visits().iter().filter(|visit| visit.posts("prompts/get")).count();
    assert_eq!(before, after, "a hidden one is not asked for");
}
