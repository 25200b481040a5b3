//! Freshness with a clock of our own, and what a snapshot may and may not do.

use super::*;

const TTL: Duration = Duration::from_secs(60);

fn listing(names: &[&str]) -> CatalogListing {
    let items = names.iter().map(|name| {
        let raw = serde_json::from_str(&format!(r#"{{"name":"{name}","x-odd":1.50}}"#)).unwrap();
        Arc::new(toolgate_types::Definition::new((*name).to_owned(), raw))
    });
    CatalogListing { items: items.collect(), ..CatalogListing::default() }
}

fn fetch(catalog: &mut ServerCatalog, names: &[&str], now: Instant) -> bool {
    let changes = catalog.changes(ListKind::Tools);
    catalog.replace(ListKind::Tools, listing(names), TTL, changes, now)
}

fn names(catalog: &ServerCatalog) -> Vec<&str> {
    let known = catalog.known(ListKind::Tools);
    known.map(|list| list.items.iter().map(|item| &*item.key).collect()).unwrap_or_default()
}

/// Shows: S0-36.
#[tokio::test]
async fn a_list_is_fresh_for_its_time_to_live_and_not_longer() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    assert!(!catalog.is_fresh(ListKind::Tools, now));
    fetch(&mut catalog, &["a"], now);
    assert!(catalog.is_fresh(ListKind::Tools, now + TTL - Duration::from_millis(1)));
    assert!(!catalog.is_fresh(ListKind::Tools, now + TTL));
    assert_eq!(names(&catalog), ["a"], "what it held stays known");
}

#[tokio::test]
async fn the_servers_word_and_a_new_connection_end_freshness() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    fetch(&mut catalog, &["a"], now);
    assert!(catalog.stands(ListKind::Tools));
    assert!(catalog.changed(ListKind::Tools), "news");
    assert!(!catalog.stands(ListKind::Tools));
    assert!(!catalog.changed(ListKind::Tools), "a flood of the same is none");
    assert!(!catalog.is_fresh(ListKind::Tools, now));
    fetch(&mut catalog, &["a"], now);
    catalog.reconnected();
    assert!(!catalog.stands(ListKind::Tools));
    assert!(!catalog.is_fresh(ListKind::Tools, now));
}

#[tokio::test]
async fn what_changed_while_it_was_fetched_is_fetched_again() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    let changes = catalog.changes(ListKind::Tools);
    catalog.changed(ListKind::Tools);
    catalog.replace(ListKind::Tools, listing(&["a"]), TTL, changes, now);
    assert!(!catalog.is_fresh(ListKind::Tools, now));
    assert_eq!(names(&catalog), ["a"]);
}

#[tokio::test]
async fn a_snapshot_answers_until_the_server_has_spoken() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    catalog.restore(ListKind::Tools, listing(&["old", "gone"]));
    assert_eq!(names(&catalog), ["old", "gone"]);
    assert!(!catalog.is_fresh(ListKind::Tools, now));
    assert!(fetch(&mut catalog, &["old"], now), "it differs");
    assert_eq!(names(&catalog), ["old"], "what the server no longer has is gone");
    catalog.restore(ListKind::Tools, listing(&["old", "gone"]));
    assert_eq!(names(&catalog), ["old"], "whatever the snapshot said");
    assert!(!fetch(&mut catalog, &["old"], now), "the same again is no change");
}

#[tokio::test]
async fn a_snapshot_keeps_every_byte_and_only_complete_lists() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    fetch(&mut catalog, &["b", "a"], now);
    let cut = CatalogListing { cut: Some("too many"), ..listing(&["p"]) };
    let changes = catalog.changes(ListKind::Prompts);
    catalog.replace(ListKind::Prompts, cut, TTL, changes, now);
    let read = snapshot::read(&snapshot::write(&catalog, &Default::default(), None).unwrap()).0;
    let [(ListKind::Tools, tools)] = &read[..] else { panic!("{read:?}") };
    assert!(tools.same_items(&listing(&["b", "a"])), "order, and `1.50` as it was");
    assert!(tools.from_snapshot);
    assert!(snapshot::read("{\"tools\":[[1]]}").0.is_empty(), "what cannot be read is none");
    let before = r#"{"tools":[["old",{}]],"resources":[["x:1",{}]]}"#;
    let merged =
        snapshot::read(&snapshot::write(&catalog, &Default::default(), Some(before)).unwrap()).0;
    let [(ListKind::Tools, tools), (ListKind::Resources, _)] = &merged[..] else { panic!() };
    assert_eq!(tools.items.len(), 2, "what is known replaces, what is not asked stays");
}

fn pins(definitions: &[(&str, &str)]) -> std::collections::BTreeMap<String, toolgate_store::Pin> {
    let seen = definitions.iter().map(|(tool, definition)| toolgate_store::SeenTool {
        tool: (*tool).to_owned(),
        definition: (*definition).to_owned(),
    });
    toolgate_store::ObservedTools::of(Vec::new(), &seen.collect::<Vec<_>>(), 1).pins
}

#[tokio::test]
async fn other_pins_end_freshness_only_where_other_definitions_are_listed() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    fetch(&mut catalog, &["a"], now);
    let same = pins(&[("a", r#"{"name":"a","x-odd":1.50}"#)]);
    assert!(!catalog.repin(ListKind::Tools, |listing| listing.repinned(&same)));
    assert!(catalog.is_fresh(ListKind::Tools, now) && catalog.stands(ListKind::Tools));
    let other = pins(&[("a", r#"{"name":"a"}"#)]);
    assert!(catalog.repin(ListKind::Tools, |listing| listing.repinned(&other)));
    assert!(!catalog.is_fresh(ListKind::Tools, now) && !catalog.stands(ListKind::Tools));
    let known = catalog.known(ListKind::Tools).unwrap();
    assert_eq!(known.items[0].raw.get(), r#"{"name":"a"}"#);
    assert_eq!(known.drifted("a").unwrap().raw.get(), r#"{"name":"a","x-odd":1.50}"#);
}

#[tokio::test]
async fn what_was_held_against_pins_that_changed_meanwhile_is_fetched_again() {
    let (mut catalog, now) = (ServerCatalog::default(), Instant::now());
    let changes = catalog.changes(ListKind::Tools);
    catalog.repin(ListKind::Tools, |_| panic!("there is none"));
    catalog.replace(ListKind::Tools, listing(&["a"]), TTL, changes, now);
    assert!(!catalog.is_fresh(ListKind::Tools, now));
}

#[test]
fn a_tool_that_found_no_room_among_the_pins_is_left_out() {
    let pinned = listing(&["a", "b\u{202e}"]).pinned(&pins(&[("a", "{}")]), None);
    assert_eq!(pinned.items.len(), 1);
    let why = "b\\u{202e}: more was seen of its server than is kept; forget its pins";
    assert_eq!(pinned.set_aside, [why]);
}

#[test]
fn instructions_are_kept_until_the_server_itself_says_otherwise() {
    let catalog = ServerCatalog::default();
    let said = |words: Option<&str>, is_spoken| KnownInstructions {
        words: words.map(str::to_owned),
        is_spoken,
    };
    let kept = snapshot::write(&catalog, &said(Some("Be kind."), true), None).unwrap();
    assert_eq!(snapshot::read(&kept).1.as_deref(), Some("Be kind."));
    let kept = snapshot::write(&catalog, &said(None, false), Some(&kept)).unwrap();
    assert_eq!(snapshot::read(&kept).1.as_deref(), Some("Be kind."), "it was not asked");
    let kept = snapshot::write(&catalog, &said(None, true), Some(&kept)).unwrap();
    assert_eq!(snapshot::read(&kept).1, None);
}
