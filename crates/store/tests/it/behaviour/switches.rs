//! Switches and the grants of windows in every store.

use std::path::PathBuf;

use toolgate_store::{Store, WindowGrant};
use toolgate_types::{
    Digest, PersonSwitch, Principal, RoleId, ServerId, SwitchScope, SwitchSubject, WindowMark,
};

use super::on_every_store;

fn window(pid: u32) -> WindowMark {
    WindowMark { boot: "boot".to_owned(), pid, start: 9 }
}

fn off(scope: SwitchScope, id: &str) -> PersonSwitch {
    PersonSwitch { scope, subject: SwitchSubject::Off(ServerId::parse(id).unwrap()) }
}

fn role(scope: SwitchScope, id: &str) -> PersonSwitch {
    PersonSwitch { scope, subject: SwitchSubject::Role(RoleId::parse(id).unwrap()) }
}

fn grant(tool: &str) -> WindowGrant {
    let principal = Principal::local_user();
    let (owner, tool) = ("files".to_owned(), tool.to_owned());
    WindowGrant { principal, owner, tool, definition: Digest([7; 32]) }
}

async fn all(store: &dyn Store) -> Vec<PersonSwitch> {
    store.switches().await.unwrap()
}

#[test]
fn a_switch_is_kept_once_until_it_is_forgotten() {
    on_every_store(&async |store| {
        let folder = || SwitchScope::Folder(PathBuf::from("/a folder"));
        let switches = [
            off(SwitchScope::Everywhere, "files"),
            off(folder(), "files"),
            off(SwitchScope::Window(window(1)), "docs"),
        ];
        for switch in switches.iter().chain(&switches) {
            store.keep_switch(switch.clone()).await.unwrap();
        }
        assert_eq!(all(store).await, switches);
        assert!(store.forget_switch(&switches[0]).await.unwrap());
        assert!(!store.forget_switch(&switches[0]).await.unwrap());
        assert_eq!(all(store).await, switches[1..]);
    });
}

#[test]
fn a_scope_has_one_role_and_the_last_one_counts() {
    on_every_store(&async |store| {
        let folder = || SwitchScope::Folder(PathBuf::from("/a"));
        for (scope, id) in
            [(SwitchScope::Everywhere, "one"), (folder(), "one"), (SwitchScope::Everywhere, "two")]
        {
            store.keep_switch(role(scope, id)).await.unwrap();
        }
        store.keep_switch(off(SwitchScope::Everywhere, "one")).await.unwrap();
        let expected = [
            off(SwitchScope::Everywhere, "one"),
            role(SwitchScope::Everywhere, "two"),
            role(folder(), "one"),
        ];
        assert_eq!(all(store).await, expected);
    });
}

#[test]
fn what_is_of_a_window_goes_with_it() {
    on_every_store(&async |store| {
        store.keep_switch(off(SwitchScope::Window(window(1)), "files")).await.unwrap();
        store.keep_switch(off(SwitchScope::Everywhere, "files")).await.unwrap();
        for (pid, tool) in [(1, "read"), (2, "read"), (2, "write"), (2, "read")] {
            store.keep_grant(&window(pid), grant(tool)).await.unwrap();
        }
        assert_eq!(store.known_windows().await.unwrap(), [window(1), window(2)]);
        let granted = store.window_grants(&window(2)).await.unwrap();
        assert_eq!(granted, [grant("read"), grant("write")]);
        assert!(store.forget_grant(&window(2), &grant("read")).await.unwrap());
        assert!(!store.forget_grant(&window(2), &grant("read")).await.unwrap());
        store.forget_window(&window(1)).await.unwrap();
        assert_eq!(store.known_windows().await.unwrap(), [window(2)]);
        assert_eq!(all(store).await, [off(SwitchScope::Everywhere, "files")]);
        assert_eq!(store.window_grants(&window(1)).await.unwrap(), []);
        assert_eq!(store.window_grants(&window(2)).await.unwrap(), [grant("write")]);
    });
}
