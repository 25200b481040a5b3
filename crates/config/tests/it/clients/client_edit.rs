//! A client's own file with our entry in it and out of it again, on a real disk.

use std::fs;
use std::path::{Path, PathBuf};

use toolgate_config::clients::{
    ClientEdit, ClientEditError, ClientFolders, ClientRoute, ClientScope, ClientTextError,
    KnownClient,
};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn edit(&self) -> ClientEdit {
        let folders = ClientFolders {
            home: self.0.path().to_owned(),
            config_home: self.path(".config"),
            workspace: self.path("shop"),
        };
        ClientEdit::new(KnownClient::Cursor, &folders, ClientScope::User).unwrap()
    }

    /// Puts this into the client's file.
    fn write(&self, text: &str) -> PathBuf {
        let file = self.path(".cursor/mcp.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }
}

fn route() -> ClientRoute {
    ClientRoute::Stdio { executable: PathBuf::from("/opt/toolgate") }
}

fn backup(file: &Path) -> PathBuf {
    file.with_file_name("mcp.json.toolgate-backup")
}

#[test]
fn what_was_there_comes_back_byte_for_byte() {
    let (home, before) = (Home::new(), "{ \"mcpServers\": {\"a\": {\"command\": \"x\"}} }\n");
    let file = home.write(before);
    let (edit, locks) = (home.edit(), home.path("locks"));
    let would = edit.connect(&route(), None).unwrap();
    assert!(would.is_changed());
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "a look writes nothing");
    let edited = edit.connect(&route(), Some(&locks)).unwrap();
    assert_eq!(edited.backup.as_deref(), Some(backup(&file).as_path()));
    assert!(edit.has_entry());
    // A second time is no news, and leaves the backup what it was.
    assert!(!edit.connect(&route(), Some(&locks)).unwrap().is_changed());
    assert_eq!(fs::read_to_string(backup(&file)).unwrap(), before);
    let gone = edit.disconnect(Some(&locks)).unwrap();
    assert!(gone.is_as_before);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert!(!backup(&file).exists());
}

#[test]
fn what_others_wrote_since_stays() {
    let (home, before) = (Home::new(), "{\n  \"mcpServers\": {}\n}\n");
    let file = home.write(before);
    let (edit, locks) = (home.edit(), home.path("locks"));
    edit.connect(&route(), Some(&locks)).unwrap();
    let since = fs::read_to_string(&file).unwrap().replacen('{', "{\n  \"theme\": \"dark\",", 1);
    fs::write(&file, &since).unwrap();
    let gone = edit.disconnect(Some(&locks)).unwrap();
    assert!(!gone.is_as_before);
    let left = fs::read_to_string(&file).unwrap();
    assert!(left.contains("dark") && !left.contains("gate"), "{left}");
    assert_eq!(fs::read_to_string(backup(&file)).unwrap(), since);
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    let home = Home::new();
    let (edit, locks) = (home.edit(), home.path("locks"));
    let file = home.path(".cursor/mcp.json");
    assert!(edit.connect(&route(), Some(&locks)).unwrap().created);
    assert!(edit.disconnect(None).unwrap().is_as_before);
    assert!(file.exists(), "a look takes nothing away");
    edit.disconnect(Some(&locks)).unwrap();
    assert!(!file.exists());
    let again = edit.disconnect(Some(&locks)).unwrap_err();
    assert!(matches!(again, ClientEditError::Text(ClientTextError::NotConnected)), "{again}");
}
