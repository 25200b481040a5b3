//! Against a real keyring, on a bus of its own; where none is installed that is said, and nothing else shown.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use super::*;

/// A bus and a keyring for one test.
struct Desktop {
    bus: Child,
    keyring: Option<Child>,
    address: String,
    home: tempfile::TempDir,
}

impl Desktop {
    fn start() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]).stdout(Stdio::piped());
        let mut bus =
            bus.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.path()).spawn().ok()?;
        let mut address = String::new();
        BufReader::new(bus.stdout.take()?).read_line(&mut address).ok()?;
        let address = address.trim().to_owned();
        Some(Self { bus, keyring: None, address, home })
    }

    /// GNOME's, with a password of its own.
    fn with_keyring(mut self) -> Option<Self> {
        let mut keyring = Command::new("gnome-keyring-daemon");
        keyring.args(["--foreground", "--unlock", "--components=secrets"]);
        keyring.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.home.path());
        keyring.env("XDG_RUNTIME_DIR", self.home.path());
        keyring.env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        keyring.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keyring = keyring.spawn().ok()?;
        keyring.stdin.take()?.write_all(b"password").ok()?;
        // It says where it listens once it is there.
        let mut line = String::new();
        BufReader::new(keyring.stdout.take()?).read_line(&mut line).ok()?;
        self.keyring = Some(keyring);
        Some(self)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in self.keyring.iter_mut().chain([&mut self.bus]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The first question may come before the name is taken on the bus.
fn answering(service: &SecretService) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while let Err(why) = service.answers() {
        assert!(std::time::Instant::now() < until, "{why}");
        std::thread::yield_now();
    }
}

fn skipped(what: &str) {
    eprintln!("SKIPPED: no {what} here, so nothing was tried against a real keyring");
}

#[test]
fn a_real_keyring_keeps_replaces_and_forgets() {
    let Some(desktop) = Desktop::start() else { return skipped("dbus-daemon") };
    let Some(desktop) = desktop.with_keyring() else { return skipped("gnome-keyring-daemon") };
    let service = SecretService::at(desktop.address.clone());
    answering(&service);
    assert_eq!(service.get("one").unwrap().map(|_| ()), None);
    let long = "é\"x".repeat(5_000);
    for value in ["first", "second", "", &long] {
        service
            .put("one", "Toolgate: login at https://one.example", &Secret::new(value.into()))
            .unwrap();
        assert_eq!(service.get("one").unwrap().unwrap().expose(), value);
    }
    service.put("two", "another", &Secret::new("2".into())).unwrap();
    // Another process sees the same.
    let other = SecretService::at(desktop.address.clone());
    assert_eq!(other.get("two").unwrap().unwrap().expose(), "2");
    assert!(other.remove("one").unwrap() && !other.remove("one").unwrap());
    assert!(service.get("one").unwrap().is_none());
    assert_eq!(service.get("two").unwrap().unwrap().expose(), "2");
}

#[test]
fn a_bus_without_a_keyring_and_no_bus_at_all_do_not_answer() {
    let nowhere = SecretService::at("unix:path=/nowhere/bus;tcp:host=127.0.0.1,port=1".to_owned());
    assert!(nowhere.answers().unwrap_err().0.contains("cannot be reached"));
    assert!(SecretService::of(&Variables::new()).is_none());
    let Some(desktop) = Desktop::start() else { return skipped("dbus-daemon") };
    let service = SecretService::at(desktop.address.clone());
    // Where a desktop is installed the bus starts its keyring, which has no place for secrets here.
    service.answers().unwrap_err();
}
