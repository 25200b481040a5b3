//! The words for a plan, without any bwrap.

use toolgate_types::config::{NamedHost, NetworkAccess, ResourceLimits};

use super::*;
use crate::walls::OuterStage;

#[test]
fn every_step_of_a_plan_is_told_in_its_order() {
    let text = |text: &str| CString::new(text).unwrap();
    let show = |place: &str, is_writable| RootStep::Show {
        source: text(place),
        at: text(place),
        is_writable,
        is_folder: true,
    };
    let walls = Walls {
        outer: OuterStage::Bubblewrap,
        bubblewrap: Some(text("/usr/bin/bwrap")),
        user: 1000,
        group: 100,
        steps: vec![
            RootStep::Link { at: text("/bin"), to: text("usr/bin") },
            RootStep::Scratch { at: text("/home/me"), bytes: 1 << 20 },
            show("/home/me/work", true),
            show("/home/me/work/.git", false),
            RootStep::Empty { at: text("/home/me/work/state") },
            RootStep::Blank { at: text("/home/me/work/state.db") },
            RootStep::Text { at: text("/etc/resolv.conf"), text: text("words") },
            show("/usr", false),
        ],
        writable: vec![text("/home/me/work")],
        creations: None,
        network: NetworkAccess::Off,
        learns: false,
        limits: ResourceLimits::default(),
    };
    let mut opened = Vec::new();
    let told = words(&walls, |source| {
        let (ShownSource::Place(text) | ShownSource::Text(text)) = source;
        opened.push(text.to_owned());
        Ok(opened.len() as RawFd + 10)
    });
    let told: Vec<String> =
        told.unwrap().into_iter().map(|word| word.into_string().unwrap()).collect();
    let told = told.join(" ");
    assert_eq!(opened, ["/home/me/work", "/home/me/work/.git", "words", "/usr"].map(text));
    assert!(
        told.starts_with(
            "bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup --unshare-net \
             --as-pid-1 --die-with-parent --uid 1000 --gid 100 --hostname sandbox \
             --symlink usr/bin /bin --perms 0700 --size 1048576 --tmpfs /home/me --bind-fd 11 /home/me/work \
             --ro-bind-fd 12 /home/me/work/.git --perms 0555 --size 4096 --tmpfs /home/me/work/state \
             --remount-ro /home/me/work/state --dev-bind /dev/null /home/me/work/state.db \
             --remount-ro /home/me/work/state.db --ro-bind-data 13 /etc/resolv.conf --ro-bind-fd 14 /usr --dev-bind /dev/null /dev/null "
        ),
        "{told}"
    );
    assert!(told.ends_with("--remount-ro /proc --remount-ro / --chdir /"), "{told}");
    let mut open = walls;
    open.network = NetworkAccess::Everything;
    let told = words(&open, |_| Ok(3)).unwrap();
    assert!(!told.contains(&text("--unshare-net")));
    open.network = NetworkAccess::Named(vec![NamedHost::parse("example.com").unwrap()]);
    let told = words(&open, |_| Ok(3)).unwrap();
    assert!(told.contains(&text("--unshare-net")) && told.contains(&text("CAP_NET_ADMIN")));
}
