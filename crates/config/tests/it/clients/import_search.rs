//! What there is to import, into which of our files it goes, and what cannot go there.

use std::fs;

use toolgate_config::clients::{
    ClientFolders, FoundClientFile, ImportOutcome, ImportSearch, ImportSourceError, ImportTarget,
    refuse_unwritable,
};
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{EditScope, Variables};

struct Machine(tempfile::TempDir);

impl Machine {
    /// With these files below the home; the project is `shop` in it.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("shop")).unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn find(
        &self,
        from: &str,
        scope: Option<EditScope>,
    ) -> Result<Vec<FoundClientFile>, ImportSourceError> {
        let home = self.0.path().to_owned();
        let (config_home, workspace) = (home.join(".config"), home.join("shop"));
        let folders = ClientFolders { home, config_home, workspace };
        let variables = Variables::from([("B".to_owned(), "b".to_owned())]);
        ImportSearch { folders: &folders, variables: &variables, scope }.find(from)
    }
}

/// Each server with its scope, and the first words of the reason where it is refused.
fn told(found: &[FoundClientFile]) -> Vec<(String, EditScope, String)> {
    let all = found.iter().flat_map(|file| &file.servers);
    let told = all.map(|one| {
        let reason = match &one.server.outcome {
            ImportOutcome::Ready => String::new(),
            ImportOutcome::Refused(reason) => {
                reason.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
            }
        };
        (one.server.id.clone(), one.scope, reason)
    });
    told.collect()
}

fn server(id: &str) -> String {
    format!(r#"{{"mcpServers": {{"{id}": {{"command": "x", "env": {{"A": "${{env:B}}"}}}}}}}}"#)
}

#[test]
fn what_is_the_persons_goes_into_their_own_file_and_the_projects_into_its() {
    let (own, projects) = (server("mine"), server("ours"));
    let machine =
        Machine::with(&[(".cursor/mcp.json", &own), ("shop/.cursor/mcp.json", &projects)]);
    let each = |id: &str, scope, reason: &str| (id.to_owned(), scope, reason.to_owned());
    let found = machine.find("cursor", None).unwrap();
    assert_eq!(
        told(&found),
        [each("ours", EditScope::Project, ""), each("mine", EditScope::Global, "")]
    );
    // A project's file may have come with a clone.
    let found = machine.find("cursor", Some(EditScope::Global)).unwrap();
    assert_eq!(
        told(&found),
        [
            each("ours", EditScope::Global, "it is this project's;"),
            each("mine", EditScope::Global, "")
        ]
    );
    let named = machine.find(".cursor/mcp.json", Some(EditScope::Global)).unwrap();
    assert_eq!(told(&named), [each("ours", EditScope::Global, "")]);
}

#[test]
fn what_cannot_be_written_is_refused_each_with_its_reason() {
    let (own, projects) = (server("same"), server("same"));
    let machine =
        Machine::with(&[(".cursor/mcp.json", &own), ("shop/.cursor/mcp.json", &projects)]);
    let refusals = |scope, replace, format, ids: &[&str]| {
        let mut found = machine.find("cursor", Some(scope)).unwrap();
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        refuse_unwritable(&mut found, replace, &[ImportTarget { scope, format, ids }]);
        told(&found).into_iter().map(|(.., reason)| reason).collect::<Vec<_>>()
    };
    let project = EditScope::Project;
    assert_eq!(refusals(project, false, ConfigFormat::Toml, &[]), ["", "another file of this"]);
    assert_eq!(
        refusals(project, false, ConfigFormat::Toml, &["same"]),
        ["server already exists in", "server already exists in"]
    );
    assert_eq!(
        refusals(project, true, ConfigFormat::Toml, &["same"]),
        ["", "another file of this"]
    );
    assert_eq!(
        refusals(project, true, ConfigFormat::Json, &[]),
        ["it uses variables, which", "it uses variables, which"]
    );
}

#[test]
fn nothing_to_import_from_is_said_with_the_reason() {
    let machine = Machine::with(&[("shop/notes.json", "{\"a\": 1}"), ("shop/bad.json", "{")]);
    assert!(matches!(
        machine.find("zed", None),
        Err(ImportSourceError::NoFile { looked_for, .. }) if looked_for.len() == 2
    ));
    assert!(matches!(machine.find("nobody", None), Err(ImportSourceError::Unknown { .. })));
    let unknown = machine.find("notes.json", None);
    assert!(matches!(unknown, Err(ImportSourceError::Unrecognised { .. })), "{unknown:?}");
    assert!(matches!(machine.find("bad.json", None), Err(ImportSourceError::Unreadable(_))));
}
