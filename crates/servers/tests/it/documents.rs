//! What is written in a folder: found, read, listed, and followed as it changes.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_servers::{
    DocHits, DocsBounds, DocsServer, FurtherFolder, PrivatePlaces, SearchDocs, manifest,
};
use toolgate_types::{OutputPart, ResourceRefusal, Tool};

use crate::session::{Ground, PATIENCE};

const GUIDE: &str = "# Guide\n\nHow to begin.\n\n## Install\n\nRun the installer.\n\n### Linux\n\n\
                     Use the package manager of penguins.\n\n## Configure\n\nWrite a file.\n";

fn ground() -> Ground {
    let ground = Ground::with(&[
        ("docs/guide.md", GUIDE),
        ("README.md", "# Readme\nA gate for penguins.\n"),
        ("src/lib.rs", "//! The crate.\n\n/// Opens the portcullis slowly.\npub fn open() {}\n"),
        ("notes.txt", "one\ntwo walrus\n"),
        ("image.png", "penguins"),
        ("target/doc/index.md", "# penguins in target\n"),
        (".env.md", "penguins"),
        (".ssh/config.md", "penguins"),
    ]);
    ground.write(".gitignore", "hidden.md\n").write("hidden.md", "# Hidden\npenguins\n");
    ground
}

/// That sees each change at once.
fn docs(ground: &Ground) -> DocsServer {
    let bounds = DocsBounds { believed: Duration::ZERO, ..DocsBounds::default() };
    DocsServer::with_bounds(ground.root(), Vec::new(), PrivatePlaces::default(), bounds)
}

async fn search(docs: &DocsServer, query: &str) -> DocHits {
    docs.call(SearchDocs { query: query.to_owned(), limit: None }).await.unwrap()
}

async fn found(docs: &DocsServer, query: &str) -> Vec<(String, String, usize)> {
    let hits = search(docs, query).await.hits;
    hits.into_iter().map(|hit| (hit.page, hit.heading, hit.line)).collect()
}

async fn call(docs: &DocsServer, tool: &str, arguments: Value) -> Result<Value, String> {
    let tools = docs.tools();
    let tool: &Arc<dyn Tool> = tools.iter().find(|known| known.name() == tool).unwrap();
    let output = tool.call(serde_json::value::to_raw_value(&arguments).unwrap()).await.unwrap();
    let json = output.parts.iter().find_map(|part| match part {
        OutputPart::Json(json) => serde_json::from_str::<Value>(json.get()).ok(),
        _ => None,
    });
    match json {
        Some(json) => {
            let schema = serde_json::from_str(tool.output_schema().unwrap().get()).unwrap();
            jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
            Ok(json)
        }
        None => Err(output.text()),
    }
}

/// Shows: S2-4.
#[tokio::test]
async fn sections_are_found_with_their_headings_and_lines() {
    let ground = ground();
    let docs = docs(&ground);
    let guide = |heading: &str, line| ("docs/guide.md".to_owned(), heading.to_owned(), line);
    assert_eq!(
        found(&docs, "package managers on linux").await[0],
        guide("Guide > Install > Linux", 11)
    );
    assert_eq!(found(&docs, "configuring").await[0], guide("Guide > Configure", 13));
    let portcullis = found(&docs, "portcullis").await;
    assert_eq!(portcullis, [("src/lib.rs".to_owned(), "pub fn open()".to_owned(), 3)]);
    assert_eq!(found(&docs, "walruses").await, [("notes.txt".to_owned(), String::new(), 2)]);
    assert!(found(&docs, "zebra").await.is_empty());
    let suite = manifest().iter().find(|server| server.name == "docs").unwrap();
    let served = docs.tools();
    assert!(served.iter().map(|tool| tool.name()).eq(suite.tools.iter().map(|tool| tool.name)));
}

#[tokio::test]
async fn what_is_ignored_secret_built_or_no_text_is_not_there() {
    let ground = ground();
    let docs = docs(&ground);
    let pages: Vec<String> =
        found(&docs, "penguins").await.into_iter().map(|(page, ..)| page).collect();
    assert_eq!(pages.len(), 2, "{pages:?}");
    assert!(pages.contains(&"README.md".to_owned()) && pages.contains(&"docs/guide.md".to_owned()));
    assert_eq!(search(&docs, "penguins").await.pages, 4);
}

#[tokio::test]
async fn the_index_follows_what_changes() {
    let ground = ground();
    let docs = docs(&ground);
    assert!(!docs.is_indexed(), "nothing is read before somebody asks");
    assert!(found(&docs, "ocelot").await.is_empty());
    ground.write("new.md", "# New\nAn ocelot.\n");
    assert_eq!(found(&docs, "ocelot").await.len(), 1);
    ground.write("new.md", "# New\nA capybara now.\n");
    assert!(found(&docs, "ocelot").await.is_empty());
    assert_eq!(found(&docs, "capybara").await.len(), 1);
    fs::rename(ground.root().join("new.md"), ground.root().join("old.md")).unwrap();
    assert_eq!(found(&docs, "capybara").await[0].0, "old.md");
    fs::remove_file(ground.root().join("old.md")).unwrap();
    assert!(found(&docs, "capybara").await.is_empty());
}

#[tokio::test]
async fn the_index_goes_when_nobody_asks() {
    let ground = ground();
    let bounds = DocsBounds { idle: Duration::from_millis(1), ..DocsBounds::default() };
    let docs = DocsServer::with_bounds(ground.root(), Vec::new(), PrivatePlaces::default(), bounds);
    search(&docs, "penguins").await;
    let gone = async {
        while docs.is_indexed() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("it is let go");
    assert!(!search(&docs, "penguins").await.hits.is_empty());
}

#[tokio::test]
async fn no_more_is_read_than_its_bounds_allow() {
    let ground = ground();
    for number in 0..50 {
        ground.write(&format!("many/{number:02}.md"), format!("# Page {number}\nwombat\n"));
    }
    ground.write("long.md", "wombat ".repeat(2000));
    let bounds = DocsBounds { pages: 20, page_bytes: 1000, ..DocsBounds::default() };
    let docs = DocsServer::with_bounds(ground.root(), Vec::new(), PrivatePlaces::default(), bounds);
    let hits = search(&docs, "wombat").await;
    assert_eq!(hits.pages, 20);
    assert!(hits.hint.is_some() && hits.hits.iter().all(|hit| hit.page != "long.md"), "{hits:?}");
}

#[tokio::test]
async fn a_section_is_read_by_its_heading_or_a_line() {
    let ground = ground();
    let docs = docs(&ground);
    let page = "docs/guide.md";
    for (asked, start, end, heading) in [
        (json!({ "page": page, "heading": "Install" }), 5, 12, "Guide > Install"),
        (
            json!({ "page": page, "heading": "guide > install > LINUX" }),
            9,
            12,
            "Guide > Install > Linux",
        ),
        (json!({ "page": page, "line": 9 }), 9, 12, "Guide > Install > Linux"),
        (json!({ "page": page, "line": 11 }), 11, 12, "Guide > Install > Linux"),
        (json!({ "page": page }), 1, 15, ""),
    ] {
        let read = call(&docs, "read_doc", asked.clone()).await.unwrap();
        let lines: Vec<&str> = GUIDE.lines().skip(start - 1).take(end + 1 - start).collect();
        assert_eq!(read["text"], lines.join("\n") + "\n", "{asked}");
        assert_eq!((&read["heading"], &read["start_line"]), (&json!(heading), &json!(start)));
        assert_eq!(read["headings"].as_array().unwrap().len(), 4);
    }
    for wrong in [
        json!({ "page": page, "heading": "Nowhere" }),
        json!({ "page": page, "line": 99 }),
        json!({ "page": "docs" }),
        json!({ "page": "image.png" }),
    ] {
        assert!(call(&docs, "read_doc", wrong.clone()).await.is_err(), "{wrong}");
    }
    ground.write("long.md", "a line of text\n".repeat(3000));
    let read = call(&docs, "read_doc", json!({ "page": "long.md" })).await.unwrap();
    let next = read["next_line"].as_u64().unwrap();
    assert!(read["text"].as_str().unwrap().len() <= 12 << 10);
    let read = call(&docs, "read_doc", json!({ "page": "long.md", "line": next })).await.unwrap();
    assert_eq!(read["start_line"], next);
}

/// One in the workspace, though it is ignored there, and one elsewhere.
fn docs_of_more(ground: &Ground) -> DocsServer {
    fs::create_dir_all(ground.beside("notes/deep")).unwrap();
    fs::write(ground.beside("notes/deep/bird.md"), "# Birds\nA penguin and a toucan.\n").unwrap();
    let elsewhere =
        FurtherFolder::Elsewhere { label: "~/notes".to_owned(), path: ground.beside("notes") };
    let inside = |name: &str| FurtherFolder::Within(name.to_owned());
    let further = vec![inside("./target/doc/"), elsewhere, inside("docs"), inside("nowhere")];
    let bounds = DocsBounds { believed: Duration::ZERO, ..DocsBounds::default() };
    DocsServer::with_bounds(ground.root(), further, PrivatePlaces::default(), bounds)
}

#[tokio::test]
async fn folders_that_are_named_have_their_pages_too() {
    let ground = ground();
    let docs = docs_of_more(&ground);
    let mut pages: Vec<String> =
        found(&docs, "penguins").await.into_iter().map(|(page, ..)| page).collect();
    pages.sort();
    let all = ["README.md", "docs/guide.md", "target/doc/index.md", "~/notes/deep/bird.md"];
    assert_eq!(pages, all);
    let hits = search(&docs, "toucan").await;
    assert_eq!(hits.hint.as_deref(), Some("The folder `nowhere` cannot be opened."));
    for page in all {
        let read = call(&docs, "read_doc", json!({ "page": page })).await.unwrap();
        assert_eq!(read["page"], page);
    }
    let listed = docs.resources().list(None).await.unwrap().resources;
    let names: Vec<String> = listed.into_iter().map(|page| page.name).collect();
    let in_turn = [
        "README.md",
        "notes.txt",
        "src/lib.rs",
        "target/doc/index.md",
        "~/notes/deep/bird.md",
        "docs/guide.md",
    ];
    assert_eq!(names, in_turn, "each once, folder by folder");
    let uri = "docs:///~/notes/deep/bird.md";
    assert!(docs.resources().read(uri).await.unwrap().text.contains("toucan"));
    // The list goes on from any page of any folder.
    for (at, name) in names.iter().enumerate() {
        let rest = docs.resources().list(Some(name)).await.unwrap().resources;
        assert!(rest.iter().map(|page| &page.name).eq(&names[at + 1..]), "after {name}");
    }
}

#[tokio::test]
async fn no_path_leads_out_of_a_folder_that_is_named() {
    let ground = ground();
    let docs = docs_of_more(&ground);
    fs::write(ground.beside("outside.md"), "# Outside\ncanary\n").unwrap();
    ground.link("way-out", ground.beside(""));
    std::os::unix::fs::symlink("../outside.md", ground.beside("notes/way-out.md")).unwrap();
    fs::write(ground.beside("notes/.env.md"), "canary").unwrap();
    let out = FurtherFolder::Within("way-out".to_owned());
    let above = FurtherFolder::Within("docs/../..".to_owned());
    for docs in
        [&docs, &DocsServer::of_folders(ground.root(), vec![out, above], Default::default())]
    {
        assert!(found(docs, "canary").await.is_empty());
        for page in [
            "~/notes/../outside.md",
            "~/notes/way-out.md",
            "~/notes/.env.md",
            "way-out/outside.md",
            "docs/../../outside.md",
            "~/outside.md",
        ] {
            let read = call(docs, "read_doc", json!({ "page": page })).await;
            assert!(read.is_err(), "{page}: {read:?}");
        }
    }
}

/// The same paths that `repo` refuses.
#[tokio::test]
async fn no_path_leads_out_or_to_a_secret() {
    let ground = ground();
    fs::write(ground.beside("outside.md"), "# Outside\ncanary\n").unwrap();
    ground.link("way-out.md", ground.beside("outside.md"));
    ground.link("folder-out", ground.beside(""));
    let docs = docs(&ground);
    assert!(found(&docs, "canary").await.is_empty());
    let absolute = ground.beside("outside.md").display().to_string();
    let long = "a/".repeat(3000);
    for path in [
        "../outside.md",
        "docs/../../outside.md",
        "way-out.md",
        "folder-out/outside.md",
        &absolute,
        ".env.md",
        ".git/description.md",
        ".ssh/config.md",
        "a\0.md",
        &long,
    ] {
        let read = call(&docs, "read_doc", json!({ "page": path })).await;
        assert!(read.is_err(), "{path}: {read:?}");
        let uri = format!("docs:///{}", path.replace('/', "%2F").replace('\0', "%00"));
        assert!(docs.resources().read(&uri).await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn every_page_is_a_resource() {
    let ground = ground();
    for number in 0..1100 {
        ground.write(&format!("many/{number:04}.md"), "x\n");
    }
    let resources = docs(&ground).resources();
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = resources.list(cursor.as_deref()).await.unwrap();
        names.extend(page.resources.into_iter().map(|resource| resource.uri));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let unique: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), unique.len()), (1104, 1104));
    assert!(names.contains(&"docs:///docs/guide.md".to_owned()));
    let read = resources.read("docs:///docs/guide.md").await.unwrap();
    assert_eq!((read.mime, &*read.text), ("text/markdown", GUIDE));
    let absent = resources.read("docs:///none.md").await.unwrap_err();
    assert_eq!(absent, ResourceRefusal::NotFound("docs:///none.md".to_owned()));
    assert_eq!(resources.templates()[0].uri_template, "docs:///{+path}");
}
