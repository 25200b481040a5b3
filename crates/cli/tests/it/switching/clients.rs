//! `[gateway.clients.X] role`: the only role that a client may have.

use super::furnished;
use crate::daemon::house::{Ends, Window};
use crate::serve::gate::Gate;
use crate::stdio::client::Client;
use crate::support::World;

fn with_client_role(role: &str) -> World {
    let world = furnished();
    let own = world.read(World::GLOBAL);
    world.write(World::GLOBAL, &format!("{own}\n[gateway.clients.ide]\nrole = \"{role}\"\n"));
    world
}

/// What a window is answered that is not let in.
fn refused(world: &World, arguments: &[&str]) -> String {
    let mut client = Client::start_with(world, &[], &[], arguments);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}\n");
    let answer = client.message();
    client.finish();
    client.ended();
    answer["error"]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_window_of_a_client_has_its_role_and_no_other() {
    let world = with_client_role("other");
    let _ends = Ends(&world);
    let mut window = Window::open_with(&world, &[], &[], &["stdio", "--client", "ide"]);
    assert_eq!(window.tools(), ["b__who"]);
    let same = ["stdio", "--client", "ide", "--role", "other"];
    assert_eq!(Window::open_with(&world, &[], &[], &same).tools(), ["b__who"]);
    let another = refused(&world, &["stdio", "--client", "ide", "--role", "reader"]);
    assert!(another.contains("no such workspace or role"), "{another}");
    assert_eq!(Window::open(&world).tools().len(), 8, "others are not meant");
}

/// Shows: P11-2.
#[test]
fn a_window_at_a_step_sees_its_bundles_and_a_client_of_one_role_the_steps_of_that() {
    let world = with_client_role("other");
    let own = world.read(World::GLOBAL);
    let steps = "[workflows.ship.other]\nlook = [\"whoA\", \"whoB\"]\n\
                 [workflows.ship.reader]\nlook = [\"whoB\"]\n";
    world.write(World::GLOBAL, &format!("{own}{steps}"));
    let _ends = Ends(&world);
    let at = |role, step| ["stdio", "--workflow", "ship", "--role", role, "--step", step];
    let tools = |arguments: &[&str]| Window::open_with(&world, &[], &[], arguments).tools();
    assert_eq!(tools(&at("reader", "look")), ["b__die", "b__who"]);
    assert_eq!(tools(&at("other", "look")), ["a__who", "b__who"], "the role denies `die`");
    assert_eq!(tools(&at("other", "absent")), [""; 0]);
    let part = |bundles| [&at("other", "look")[..], &["--bundles", bundles]].concat();
    assert_eq!(tools(&part("whoA")), ["a__who"]);
    assert_eq!(tools(&part("whoA,whoB")), ["a__who", "b__who"]);
    let wider = [&at("reader", "look")[..], &["--bundles", "whoA,whoB"]].concat();
    let wider = refused(&world, &wider);
    assert!(wider.contains("no such workspace or role, step or bundle"), "{wider}");
    let as_client = |role| [&at(role, "look")[..], &["--client", "ide"]].concat();
    assert_eq!(tools(&as_client("other")), ["a__who", "b__who"]);
    for arguments in [as_client("reader"), at("nobody", "look").to_vec()] {
        let another = refused(&world, &arguments);
        assert!(another.contains("no such workspace or role"), "{another}");
    }
}

/// A person who starts a gate gives steps other bundles, for everybody there and for as long as it runs.
///
/// Shows: P11-2.
#[test]
fn whoever_starts_a_gate_gives_its_steps_other_bundles() {
    let world = furnished();
    let own = world.read(World::GLOBAL);
    let steps = "[workflows.ship.reader]\nlook = [\"whoB\"]\nrest = [\"whoB\"]\n";
    world.write(World::GLOBAL, &format!("{own}{steps}"));
    let serving = |given| ["serve", "--listen", "127.0.0.1:0", "--step-bundles", given];
    let wrong = world.run(&serving("ship/reader/look=whoC")).fails_with(1);
    assert!(wrong.stderr.contains("no bundle 'whoC' is configured"), "{wrong:?}");
    let wrong = world.run(&serving("sail/reader/look=whoA")).fails_with(1);
    assert!(wrong.stderr.contains("no workflow 'sail' is configured"), "{wrong:?}");
    world.run(&serving("look=whoA")).fails_with(2);
    let gate = Gate::start(&world, &serving("ship/reader/look=whoA"));
    assert_eq!(gate.tools("/mcp/ship/reader/look"), ["a__who"]);
    assert_eq!(gate.tools("/mcp/ship/reader/rest"), ["b__die", "b__who"], "no other step changes");
    assert_eq!(gate.status("/mcp/ship/reader/look=whoB", Some(gate.token())), 404);
    let at = |verb: &[&'static str]| {
        let place = ["--workflow", "ship", "--role", "reader", "--step", "look"];
        [verb, &place].concat()
    };
    assert_eq!(Window::open_with(&world, &[], &[], &at(&["stdio"])).tools(), ["a__who"]);
    let listed = world.run(&at(&["tools"])).ok();
    assert!(listed.stdout.contains("a__who") && !listed.stdout.contains("b__"), "{listed:?}");
    world.run(&at(&["call", "a__who"])).ok();
    world.run(&at(&["call", "b__who"])).fails_with(1);
    let second = world.run(&serving("ship/reader/look=whoB")).fails_with(1);
    assert!(second.stderr.contains("its steps have their bundles already"), "{second:?}");
}

#[test]
fn a_role_that_does_not_exist_is_reported_and_leaves_nothing() {
    let world = with_client_role("othr");
    let _ends = Ends(&world);
    let checked = world.run(&["config", "check"]).fails_with(1);
    assert!(checked.stdout.contains("unknown-role"), "{checked:?}");
    let nothing = refused(&world, &["stdio", "--client", "ide"]);
    assert!(nothing.contains("no such workspace or role"), "{nothing}");
}

#[test]
fn a_token_is_known_by_its_client_and_never_by_what_a_caller_says() {
    let world = with_client_role("other");
    let gate = Gate::on_free_port(&world);
    let made = world.run(&["token", "create", "ide", "--client", "ide"]).ok();
    let token = made.stdout.trim_end().to_owned();
    let names = |token: &str| {
        let listed = gate.ask_with(token, "tools/list", serde_json::json!({}));
        let tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&token), ["b__who"]);
    assert_eq!(gate.status("/mcp/reader", Some(&token)), 404);
    assert_eq!(gate.tools("/mcp").len(), 8, "the first token is of no client");
}
