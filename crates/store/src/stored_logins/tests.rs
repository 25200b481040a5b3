//! Where the secrets of logins lie, and what happens when that place is away.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;
use toolgate_types::ServerId;

use super::*;
use crate::LoginHolder;

/// A keyring in memory, which can be taken away.
#[derive(Default)]
struct PretendKeyring {
    is_away: AtomicBool,
    kept: Mutex<BTreeMap<String, String>>,
}

impl PretendKeyring {
    fn there(&self) -> Result<(), KeyringAway> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(KeyringAway("it is locked".to_owned())),
            false => Ok(()),
        }
    }
}

impl Keyring for PretendKeyring {
    fn answers(&self) -> Result<(), KeyringAway> {
        self.there()
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, KeyringAway> {
        self.there()?;
        Ok(self.kept.lock().get(name).cloned().map(Secret::new))
    }

    fn put(&self, name: &str, _: &str, secret: &Secret) -> Result<(), KeyringAway> {
        self.there()?;
        self.kept.lock().insert(name.to_owned(), secret.expose().to_owned());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<bool, KeyringAway> {
        self.there()?;
        Ok(self.kept.lock().remove(name).is_some())
    }
}

struct Try {
    folder: TempDir,
    keyring: Arc<PretendKeyring>,
    logins: StoredLogins,
}

impl Try {
    fn new(storage: CredentialStorage) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Arc::new(PretendKeyring::default());
        let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
        let logins = StoredLogins::new(files, Arc::clone(&keyring) as _);
        logins.store_in(storage);
        Self { folder, keyring, logins }
    }

    fn file(&self) -> String {
        let path = self.folder.path().join("toolgate/mcp-auth.json");
        std::fs::read_to_string(path).unwrap_or_default()
    }

    fn token(&self) -> Option<String> {
        let tokens = self.logins.login(&key()).unwrap()?.tokens?;
        let refresh = tokens.refresh_token.unwrap();
        Some(format!("{} {}", tokens.access_token.expose(), refresh.expose()))
    }

    fn away(&self, is_away: bool) {
        self.keyring.is_away.store(is_away, Ordering::SeqCst);
    }
}

fn key() -> LoginKey {
    let (server, url) = (ServerId::parse("one").unwrap(), "https://one.example/mcp".to_owned());
    LoginKey { server, url, holder: LoginHolder::Owner, account: None }
}

fn login() -> KeptLogin {
    let text = |text: &str| text.to_owned();
    let secret = |name: &str| Secret::new(text(name));
    KeptLogin {
        client_id: text("client"),
        client_secret: Some(secret("c4nary-client")),
        tokens: Some(LoginTokens {
            access_token: secret("c4nary-access"),
            refresh_token: Some(secret("c4nary-refresh")),
            expires_at: Some(17),
            scope: Some(text("a")),
        }),
        wanted_scope: None,
        binding: LoginBinding {
            server_url: text("https://one.example/mcp"),
            issuer: Some(text("https://login.example")),
            resource: text("https://one.example"),
            token_endpoint: text("https://login.example/token"),
            revocation_endpoint: None,
            client_auth: text("client_secret_basic"),
        },
        rest: Map::new(),
    }
}

/// Shows: C16, E-2. Whatever is secret goes into the keyring, and only what it is about into the file.
#[test]
fn with_a_keyring_the_file_holds_nothing_secret() {
    for storage in [CredentialStorage::Keyring, CredentialStorage::Auto] {
        let trying = Try::new(storage);
        trying.logins.keep(&key(), &login()).unwrap();
        assert!(!trying.file().contains("c4nary"), "{}", trying.file());
        assert!(trying.logins.is_in_keyring(&key()));
        assert_eq!(trying.token().as_deref(), Some("c4nary-access c4nary-refresh"));
        let whole = trying.logins.login(&key()).unwrap().unwrap();
        assert_eq!(whole.client_secret.unwrap().expose(), "c4nary-client");
        assert_eq!(whole.rest, Map::new());
        let listed = trying.logins.all().unwrap();
        assert!(listed.len() == 1 && listed[0].1.tokens.is_some());
        assert!(trying.logins.forget(&key()).unwrap());
        assert!(trying.keyring.kept.lock().is_empty());
        assert!(trying.logins.login(&key()).unwrap().is_none());
    }
}

/// Shows: C16. Without one, a file for its owner alone does.
#[test]
fn without_a_keyring_it_is_the_file_unless_nothing_else_is_wanted() {
    let trying = Try::new(CredentialStorage::Auto);
    trying.away(true);
    trying.logins.keep(&key(), &login()).unwrap();
    assert!(trying.file().contains("c4nary-access") && !trying.logins.is_in_keyring(&key()));
    assert_eq!(trying.token().as_deref(), Some("c4nary-access c4nary-refresh"));
    assert!(trying.logins.forget(&key()).unwrap(), "logging out needs no keyring");

    let trying = Try::new(CredentialStorage::Keyring);
    trying.away(true);
    let refused = trying.logins.keep(&key(), &login()).unwrap_err();
    assert!(refused.why.contains("does not answer: it is locked"), "{refused}");
    assert!(trying.file().is_empty());

    let trying = Try::new(CredentialStorage::File);
    trying.logins.keep(&key(), &login()).unwrap();
    assert!(trying.keyring.kept.lock().is_empty());
}

#[test]
fn a_login_whose_keyring_is_away_is_not_taken_for_none() {
    let trying = Try::new(CredentialStorage::Auto);
    trying.logins.keep(&key(), &login()).unwrap();
    trying.away(true);
    let refused = trying.logins.login(&key()).unwrap_err();
    assert!(refused.hint.contains("credentials = \"file\""), "{refused:?}");
    assert_eq!(trying.logins.all().unwrap().len(), 1, "what there is can be listed");
    // It is forgotten all the same, and what stays behind is told.
    let told = trying.logins.forget(&key()).unwrap_err();
    assert!(told.why.contains("forgotten here, and its tokens are still in the keyring"), "{told}");
    assert!(trying.logins.login(&key()).unwrap().is_none());
    assert!(!trying.logins.forget(&key()).unwrap());
}

/// Shows: C16. What lies in the keyring counts for the URL, issuer and resource that it was kept for.
#[test]
fn a_record_that_was_changed_gets_nothing_of_the_keyring() {
    for field in ["server_url", "issuer", "resource"] {
        let trying = Try::new(CredentialStorage::Keyring);
        trying.logins.keep(&key(), &login()).unwrap();
        let path = trying.folder.path().join("toolgate/mcp-auth.json");
        let mut written: Value = serde_json::from_str(&trying.file()).unwrap();
        written["servers"]["one"][field] = "https://evil.example".into();
        std::fs::write(&path, written.to_string()).unwrap();
        assert_eq!(trying.token(), None, "{field}");
        let client = trying.logins.login(&key()).unwrap().unwrap().client_secret;
        assert!(client.is_none(), "{field}");
    }
}

#[test]
fn what_is_wanted_now_counts_from_the_next_renewal_on() {
    let trying = Try::new(CredentialStorage::File);
    trying.logins.keep(&key(), &login()).unwrap();
    trying.logins.store_in(CredentialStorage::Keyring);
    assert_eq!(trying.token().as_deref(), Some("c4nary-access c4nary-refresh"));
    trying.logins.keep(&key(), &login()).unwrap();
    assert!(!trying.file().contains("c4nary"));
    trying.logins.store_in(CredentialStorage::File);
    let kept = trying.logins.login(&key()).unwrap().unwrap();
    trying.logins.keep(&key(), &kept).unwrap();
    assert!(trying.file().contains("c4nary-access") && trying.keyring.kept.lock().is_empty());
}
