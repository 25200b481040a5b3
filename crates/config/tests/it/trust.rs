//! What a person would accept: the fingerprint of an entry, whose word a layer is, and that no file
//! accepts itself.

mod files;
mod pieces;
mod places;
mod runs;
mod unwatched;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_config::load_written;
use toolgate_types::{
    Acceptances, AcceptedEntry, EntryKind, EntryStanding, Fingerprint, LayerGrade, PendingReason,
    Trust,
};

use crate::support::{Found, World, project_toml};

fn fingerprint(world: &World) -> Fingerprint {
    world.load().entry("s").fingerprint.clone()
}

#[test]
fn what_is_written_is_read_without_a_look_at_the_files() {
    let text =
        "[servers.s]\ncommand = \"node\"\nargs = [\"run.js\"]\n[servers.s.env]\nA = \"${TOKEN}\"\n";
    let world = project_toml(text).file("run.js", "1").env("TOKEN", "x");
    let (whole, written) = (world.load(), load_written(world.options()));
    let [(seen, own), (unseen, same)] = [&whole, &written].map(|loaded| {
        let entry = loaded.entry("s");
        (&entry.fingerprint, &entry.value)
    });
    assert_eq!(seen.entry, unseen.entry);
    assert_eq!(seen.files.keys().collect::<Vec<_>>(), ["run.js"]);
    assert!(unseen.files.is_empty());
    assert_eq!(format!("{own:?}"), format!("{same:?}"));
    assert_eq!(whole.variables, written.variables);
    assert_eq!(world.render(&whole.problems), world.render(&written.problems));
}

#[test]
fn comments_formatting_and_key_order_do_not_matter() {
    let toml = "[servers.s]\ncommand = \"x\"\nargs = [\"a\", \"b\"]\nrequest_timeout_ms = 1000\n";
    let same = "# why\n\n[servers]\ns = { request_timeout_ms = 1_000, args = ['a', \"b\"], command = 'x' }\n";
    assert_eq!(fingerprint(&project_toml(toml)), fingerprint(&project_toml(same)));
    let swapped = toml.replace("\"a\", \"b\"", "\"b\", \"a\"");
    assert_ne!(fingerprint(&project_toml(toml)), fingerprint(&project_toml(&swapped)));
}

#[test]
fn a_variables_value_does_not_matter_and_whether_it_is_expanded_does() {
    let text = "[servers.s]\ncommand = \"x\"\nenv = { K = \"${TOKEN}\" }\n";
    let with = |token: &str| fingerprint(&project_toml(text).env("TOKEN", token));
    assert_eq!(with("one"), with("two"));
    let json = |expand: bool| {
        let text = json!({ "expand_env": expand, "servers": { "s": { "command": "${TOKEN}" } } });
        fingerprint(&World::new().file("toolgate.json", text.to_string()).env("TOKEN", "x"))
    };
    assert_ne!(json(true).entry, json(false).entry);
}

#[test]
fn the_same_text_under_another_id_or_kind_is_another_entry() {
    let loaded = project_toml(
        "[servers.s]\ncommand = \"x\"\n[servers.t]\ncommand = \"x\"\n[tools.s]\ncommand = \"x\"\n",
    )
    .load_clean();
    let server = loaded.entry("s").fingerprint.entry;
    assert_ne!(server, loaded.entry("t").fingerprint.entry);
    assert_ne!(server, loaded.config.tools["s"].fingerprint.entry);
}

/// An entry with something of every kind in it.
fn sample() -> Value {
    json!({
        "command": "npx", "args": ["-y", "server", ""], "cwd": "sub", "env": { "MODE": "fast" },
        "enabled": true, "request_timeout_ms": 1000, "enabled_tools": ["read"], "trust": "trusted",
        "tools": { "read": { "timeout_ms": 5 } }, "description": "Reads",
    })
}

fn of_json(entry: &Value) -> Fingerprint {
    let text = json!({ "servers": { "s": entry } }).to_string();
    fingerprint(&World::new().env("TOOLGATE_CONFIG_JSON", text))
}

/// Every place of a value inside the sample.
const PLACES: [&str; 11] = [
    "/command",
    "/args/0",
    "/args/1",
    "/args/2",
    "/cwd",
    "/env/MODE",
    "/enabled",
    "/request_timeout_ms",
    "/enabled_tools/0",
    "/tools/read/timeout_ms",
    "/description",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_change_of_any_value_is_another_fingerprint(
        place in 0..PLACES.len(), at in 0usize..8, letter in "[b-z]",
    ) {
        let mut changed = sample();
        let value = changed.pointer_mut(PLACES[place]).unwrap();
        *value = match value.clone() {
            Value::String(mut text) => {
                text.insert_str(at.min(text.len()), &letter);
                text.into()
            }
            Value::Number(number) => (number.as_u64().unwrap() + 1 + at as u64).into(),
            Value::Bool(on) => (!on).into(),
            other => panic!("{other}"),
        };
        prop_assert_ne!(of_json(&changed).entry, of_json(&sample()).entry);
        prop_assert_eq!(of_json(&sample()), of_json(&sample()));
    }
}

#[test]
fn taking_any_key_away_is_another_fingerprint() {
    let keys: Vec<String> = sample().as_object().unwrap().keys().cloned().collect();
    for key in keys.iter().filter(|key| *key != "command") {
        let mut changed = sample();
        changed.as_object_mut().unwrap().shift_remove(key);
        assert_ne!(of_json(&changed).entry, of_json(&sample()).entry, "{key}");
    }
}

#[test]
fn only_the_global_file_and_the_embedding_program_are_a_persons_word() {
    let server = |id: &str| json!({ "servers": { id: { "command": "x" } } });
    let world = World::new()
        .global("[servers.global]\ncommand = \"x\"\n")
        .file("toolgate.json", server("project").to_string())
        .env("TOOLGATE_CONFIG_JSON", server("inline").to_string())
        .overrides(server("runtime"));
    let loaded = world.load_clean();
    let grade = |id: &str| loaded.entry(id).origin.grade;
    assert_eq!((grade("global"), grade("runtime")), (LayerGrade::Person, LayerGrade::Person));
    assert_eq!((grade("project"), grade("inline")), (LayerGrade::Project, LayerGrade::Project));
    let by_flag = World::new().file("x.json", server("s").to_string()).path("x.json").load_clean();
    assert_eq!(by_flag.entry("s").origin.grade, LayerGrade::Project);
    let variable =
        World::new().file("x.json", server("s").to_string()).env("TOOLGATE_CONFIG", "x.json");
    assert_eq!(variable.load_clean().entry("s").origin.grade, LayerGrade::Project);
}

fn standing(world: &World, accepted: &Acceptances) -> EntryStanding {
    let loaded = world.load();
    let entry = loaded.entry("s");
    let (grade, declared) = (entry.origin.grade, entry.value.declared_trust);
    accepted.standing(grade, EntryKind::Server, "s", &entry.fingerprint, declared)
}

/// Shows: S2-12.
#[test]
fn a_project_that_declares_its_own_trust_is_pending_like_any_other() {
    let nothing = Acceptances::default();
    let declared = "[servers.s]\ncommand = \"./s.sh\"\ntrust = \"trusted\"\n";
    let world = project_toml(declared).file("s.sh", "one");
    assert_eq!(standing(&world, &nothing), EntryStanding::Pending(PendingReason::New));
    let accepted = Acceptances::new(vec![AcceptedEntry {
        kind: EntryKind::Server,
        id: "s".into(),
        fingerprint: fingerprint(&world),
        trust: Trust::Untrusted,
        accepted_at: 0,
    }]);
    assert_eq!(standing(&world, &accepted), EntryStanding::Accepted(Trust::Untrusted));
    world.write("s.sh", "two");
    let changed = PendingReason::FileChanged("./s.sh".into());
    assert_eq!(standing(&world, &accepted), EntryStanding::Pending(changed));
    world.write("toolgate.toml", declared.replace("./s.sh", "./t.sh"));
    assert_eq!(standing(&world, &accepted), EntryStanding::Pending(PendingReason::EntryChanged));
    // The same words in the person's own file stand by themselves; silence means trusted there.
    let own = World::new().global(declared);
    assert_eq!(standing(&own, &nothing), EntryStanding::Accepted(Trust::Trusted));
    let silent = World::new().global("[servers.s]\ncommand = \"x\"\n");
    assert_eq!(standing(&silent, &nothing), EntryStanding::Accepted(Trust::Trusted));
}
