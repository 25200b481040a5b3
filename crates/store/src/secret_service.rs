//! The keyring of a Linux desktop: the Secret Service (GNOME Keyring, KWallet, KeePassXC) on the session bus.
//!
//! The few messages that it takes are written and read here. The crate for it brings some forty others, most
//! of them for an asynchronous bus with objects of its own, for five questions now and then.

mod bus_message;
mod bus_socket;

use parking_lot::Mutex;
use toolgate_types::{Secret, Variables};

use crate::keyring::{Keyring, KeyringAway};
use bus_message::{BodyWriter, MethodCall};
use bus_socket::BusSocket;

const SERVICE_NAME: &str = "org.freedesktop.secrets";
const SERVICE: &str = "/org/freedesktop/secrets";
const COLLECTION: &str = "/org/freedesktop/secrets/aliases/default";
const OF_SERVICE: &str = "org.freedesktop.Secret.Service";
const OF_COLLECTION: &str = "org.freedesktop.Secret.Collection";
const OF_ITEM: &str = "org.freedesktop.Secret.Item";

/// No object at all, where one is optional.
const NOTHING: &str = "/";

/// What our secrets are found by, beside their names.
const APPLICATION: (&str, &str) = ("application", "toolgate");

/// The Secret Service at one bus.
pub struct SecretService {
    address: String,
    open: Mutex<Option<OpenSession>>,
}

struct OpenSession {
    bus: BusSocket,
    session: String,
}

impl SecretService {
    /// The session bus that these variables lead to. They are the person's own: whoever could choose the bus
    /// would be told what is kept.
    pub fn of(variables: &Variables) -> Option<Self> {
        let value = |name: &str| variables.get(name).filter(|value| !value.is_empty());
        let named = value("DBUS_SESSION_BUS_ADDRESS").cloned();
        let usual = || {
            let path = std::path::Path::new(value("XDG_RUNTIME_DIR")?).join("bus");
            path.exists().then(|| format!("unix:path={}", path.display()))
        };
        Some(Self::at(named.or_else(usual)?))
    }

    pub fn at(address: String) -> Self {
        Self { address, open: Mutex::default() }
    }

    /// Does something over the connection; one that ended since is opened again, once.
    fn with<T>(
        &self,
        mut work: impl FnMut(&mut OpenSession) -> Result<T, KeyringAway>,
    ) -> Result<T, KeyringAway> {
        let mut open = self.open.lock();
        if let Some(session) = open.as_mut() {
            match work(session) {
                Ok(done) => return Ok(done),
                Err(_) => *open = None,
            }
        }
        let mut session = OpenSession::begin(&self.address)?;
        let done = work(&mut session)?;
        *open = Some(session);
        Ok(done)
    }
}

impl OpenSession {
    fn begin(address: &str) -> Result<Self, KeyringAway> {
        let mut bus = BusSocket::connect(address)?;
        let hello = MethodCall {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            method: "Hello",
        };
        bus.call(&hello, BodyWriter::default())?;
        // The bus is a socket for this person alone; what would be encrypted on it lies in our memory.
        let mut body = BodyWriter::default();
        body.text("plain").variant_text("");
        let answer = bus.call(&service("OpenSession"), body)?;
        let mut answer = answer.reader();
        answer.variant_text()?;
        Ok(Self { session: answer.text()?, bus })
    }

    /// The item of a name, unlocked.
    fn item(&mut self, name: &str) -> Result<Option<String>, KeyringAway> {
        let mut body = BodyWriter::default();
        body.dictionary(&[APPLICATION, ("name", name)]);
        let answer = self.bus.call(&service("SearchItems"), body)?;
        let mut answer = answer.reader();
        let (unlocked, locked) = (answer.paths()?, answer.paths()?);
        if let Some(item) = unlocked.into_iter().next() {
            return Ok(Some(item));
        }
        let Some(item) = locked.into_iter().next() else { return Ok(None) };
        self.unlock(&item)?;
        Ok(Some(item))
    }

    fn unlock(&mut self, object: &str) -> Result<(), KeyringAway> {
        let mut body = BodyWriter::default();
        body.paths(&[object]);
        let answer = self.bus.call(&service("Unlock"), body)?;
        let mut answer = answer.reader();
        answer.paths()?;
        without_asking(&answer.text()?)
    }

    fn put(&mut self, name: &str, label: &str, secret: &Secret) -> Result<(), KeyringAway> {
        self.unlock(COLLECTION)?;
        let mut body = BodyWriter::default();
        body.properties(label, &[APPLICATION, ("name", name)]);
        body.secret(&self.session, secret).boolean(true);
        let call = MethodCall {
            destination: SERVICE_NAME,
            path: COLLECTION,
            interface: OF_COLLECTION,
            method: "CreateItem",
        };
        let answer = self.bus.call(&call, body)?;
        let mut answer = answer.reader();
        answer.text()?;
        without_asking(&answer.text()?)
    }
}

impl Keyring for SecretService {
    fn answers(&self) -> Result<(), KeyringAway> {
        self.with(|open| {
            let mut body = BodyWriter::default();
            body.text("default");
            let answer = open.bus.call(&service("ReadAlias"), body)?;
            match answer.reader().text()?.as_str() {
                NOTHING => Err(KeyringAway("it has no place for secrets yet".to_owned())),
                _ => open.unlock(COLLECTION),
            }
        })
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, KeyringAway> {
        self.with(|open| {
            let Some(item) = open.item(name)? else { return Ok(None) };
            let mut body = BodyWriter::default();
            body.path(&open.session);
            let answer = open.bus.call(&of_item(&item, "GetSecret"), body)?;
            answer.reader().secret().map(Some)
        })
    }

    fn put(&self, name: &str, label: &str, secret: &Secret) -> Result<(), KeyringAway> {
        self.with(|open| open.put(name, label, secret))
    }

    fn remove(&self, name: &str) -> Result<bool, KeyringAway> {
        self.with(|open| {
            let Some(item) = open.item(name)? else { return Ok(false) };
            let answer = open.bus.call(&of_item(&item, "Delete"), BodyWriter::default())?;
            without_asking(&answer.reader().text()?)?;
            Ok(true)
        })
    }
}

impl std::fmt::Debug for SecretService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretService").finish_non_exhaustive()
    }
}

fn service(method: &str) -> MethodCall<'_> {
    MethodCall { destination: SERVICE_NAME, path: SERVICE, interface: OF_SERVICE, method }
}

fn of_item<'a>(item: &'a str, method: &'a str) -> MethodCall<'a> {
    MethodCall { destination: SERVICE_NAME, path: item, interface: OF_ITEM, method }
}

/// It names a question for the person where it has one.
fn without_asking(prompt: &str) -> Result<(), KeyringAway> {
    match prompt {
        NOTHING => Ok(()),
        _ => Err(KeyringAway("it is locked".to_owned())),
    }
}

#[cfg(test)]
mod tests;
