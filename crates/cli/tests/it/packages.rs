//! Servers that `npx` would fetch, behind walls: fetched when they are accepted, fixed, and started from
//! there. The registry is one of the test's own.

mod attacks;
mod registry;

use registry::{Registry, has_what_is_needed};

use crate::support::World;

/// A world whose project has the server `thing` from a registry of its own.
fn scene() -> (World, Registry) {
    let registry = Registry::new();
    registry.publish("thing", "1.0.0", "");
    let world = World::new();
    world.write("home/.npmrc", &format!("registry = {}\n", registry.url()));
    world.write("project/toolgate.toml", &entry("thing", "npx", &["-y", "thing", "an argument"]));
    (world, registry)
}

fn entry(id: &str, command: &str, args: &[&str]) -> String {
    format!(
        "[servers.{id}]\ncommand = {command:?}\nargs = {args:?}\napproval = \"approve\"\n\
         env = {{ OWN = \"for the server\" }}\n"
    )
}

fn accept(world: &World) -> String {
    world.run_at_terminal(&["trust", "--trusted"], "y\n").ok().stdout
}

/// What a tool of the server says.
fn call(world: &World, tool: &str) -> String {
    world.run(&["call", "thing", tool]).ok().stdout.trim().to_owned()
}

#[test]
fn a_server_is_fetched_when_it_is_accepted_and_not_before() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    world.run(&["call", "thing", "count"]).fails_with(8);
    world.run(&["test", "thing"]).fails_with(8);
    let shown = world.run(&["trust"]).fails_with(8).stdout;
    let host = registry.host();
    assert!(shown.contains(&format!("downloads         thing (from {host})")), "{shown}");
    let then =
        "then              runs install scripts without network, and the server without network";
    assert!(shown.contains(then), "{shown}");
    assert_eq!(registry.asked(), Vec::<String>::new());
    let said = accept(&world);
    assert!(said.contains("downloaded and fixed thing@1.0.0"), "{said}");
    assert_eq!(registry.asked(), ["- /thing", "- /thing/-/1.0.0.tgz"]);
    // What it writes beside its code lasts, and nothing is fetched again.
    assert_eq!([call(&world, "count"), call(&world, "count")], ["1", "11"]);
    let told = call(&world, "tell");
    assert!(told.contains("for the server") && told.contains("an argument"), "{told}");
    assert_eq!(registry.asked().len(), 2);
    let explained = world.run(&["sandbox", "explain", "thing"]).ok().stdout;
    let beginning = "is made of\n  thing@1.0.0\nwrites\n  /package\n";
    assert!(explained.starts_with(beginning), "{explained}");
    // With the entry goes what was fetched for it.
    world.run(&["remove", "thing", "--scope", "project"]).ok();
    assert_eq!(code(&world), Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_was_fixed_is_fetched_again_and_nothing_else() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    accept(&world);
    assert_eq!(call(&world, "count"), "1");
    registry.publish("thing", "1.1.0", "");
    for folder in code(&world) {
        std::fs::remove_dir_all(folder).unwrap();
    }
    let named = world.run(&["test", "thing"]).ok().stdout;
    assert!(named.contains("thing 1.0.0"), "{named}");
    assert_eq!(call(&world, "count"), "11");
    // Taken back, the newest counts the next time.
    world.run_at_terminal(&["trust", "--revoke", "thing"], "").ok();
    assert_eq!(code(&world), Vec::<std::path::PathBuf>::new());
    world.run(&["call", "thing", "count"]).fails_with(8);
    let said = accept(&world);
    assert!(said.contains("fixed thing@1.1.0"), "{said}");
    // What it wrote beside the older code was that code's.
    assert_eq!(call(&world, "count"), "1");
    // Other words are another wish, and what was fetched for the first goes.
    world.write("project/toolgate.toml", &entry("thing", "npx", &["thing@1.0.0"]));
    let said = accept(&world);
    assert!(said.contains("fixed thing@1.0.0"), "{said}");
    assert_eq!(code(&world).len(), 1);
}

/// A person's own entry is accepted by itself, so it is fixed at its first start.
#[test]
fn a_persons_own_server_behind_walls_is_fetched_at_its_first_start() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    let own = entry("thing", "npm", &["exec", "--package=thing", "--", "thing"]);
    world.write("project/toolgate.toml", "version = 1\n");
    world.write(World::GLOBAL, &format!("{own}sandbox_profile = \"default\"\n"));
    assert_eq!(registry.asked(), Vec::<String>::new());
    assert_eq!([call(&world, "count"), call(&world, "count")], ["1", "11"]);
    assert_eq!(registry.asked().len(), 2);
}

#[test]
fn adding_a_server_at_a_terminal_fetches_it_and_says_so() {
    if !has_what_is_needed() {
        return;
    }
    let (world, registry) = scene();
    world.write("project/toolgate.toml", "version = 1\n");
    world.run(&["add", "piped", "--", "npx", "thing"]).ok();
    assert_eq!(registry.asked(), Vec::<String>::new());
    let typed = ["add", "thing", "--approval", "approve", "--", "npx", "thing@1"];
    let said = world.run_at_terminal(&typed, "n\n").ok().stdout;
    assert!(said.contains(&format!("downloads thing@1 (from {})", registry.host())), "{said}");
    assert!(said.contains("accepted as trusted, since you typed it here"), "{said}");
    assert_eq!(call(&world, "count"), "1");
    // What cannot be fetched is not accepted.
    let said = world.run_at_terminal(&["add", "gone", "--", "npx", "nowhere"], "n\n").ok().stdout;
    assert!(said.contains("gone: fetching with npm failed"), "{said}");
    assert!(said.contains("it is pending until you accept it"), "{said}");
}

/// The folders of code that was fetched.
fn code(world: &World) -> Vec<std::path::PathBuf> {
    let packages = world.home().join(".local/state/toolgate/packages");
    let entries = std::fs::read_dir(packages).into_iter().flatten().flatten();
    let code = entries.flat_map(|entry| std::fs::read_dir(entry.path().join("code")));
    code.flatten().flatten().map(|folder| folder.path()).collect()
}
