//! With a folder that stands in for the kernel's: whether the kernel holds a group to its limits is not
//! shown here.

use tempfile::TempDir;

use super::*;

/// A hierarchy with a group for applications, and one in it for us.
fn hierarchy(handed_down: &str) -> (TempDir, String) {
    let root = tempfile::tempdir().unwrap();
    for (group, text) in [("", "memory"), ("apps", handed_down), ("apps/ours", "")] {
        let folder = root.path().join(group);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("cgroup.subtree_control"), text).unwrap();
        fs::write(folder.join("cgroup.procs"), "").unwrap();
    }
    let mounts = format!(
        "30 23 0:26 / /sys rw - sysfs sysfs rw\n\
         41 31 0:38 / {} rw,relatime shared:9 - cgroup2 cgroup2 rw\n",
        root.path().display()
    );
    (root, mounts)
}

const OURS: &str = "4:memory:/elsewhere\n0::/apps/ours\n";

#[test]
fn a_group_is_made_beside_ours_where_both_limits_are_handed_down() {
    let (root, mounts) = hierarchy("cpu memory pids");
    assert_eq!(place_by(OURS, &mounts), Some(root.path().join("apps")));
    for (handed_down, own) in
        [("memory", OURS), ("", OURS), ("memory pids", "4:memory:/\n"), ("memory pids", "0::/\n")]
    {
        let (_root, mounts) = hierarchy(handed_down);
        assert_eq!(place_by(own, &mounts), None, "{handed_down:?} {own:?}");
    }
    assert_eq!(place_by(OURS, "30 23 0:26 / /sys rw - sysfs sysfs rw\n"), None);
}

/// Within a container the hierarchy begins further down.
#[test]
fn a_part_of_the_hierarchy_is_found_by_what_is_mounted() {
    let (root, mounts) = hierarchy("memory pids");
    let mounts = mounts.replace("0:38 / ", "0:38 /of/a/container ");
    let own = "0::/of/a/container/apps/ours\n";
    assert_eq!(place_by(own, &mounts), Some(root.path().join("apps")));
    assert_eq!(place_by("0::/apps/ours\n", &mounts), None);
}

#[test]
fn a_group_has_its_limits_before_anybody_is_in_it() {
    let (root, _) = hierarchy("memory pids");
    let place = root.path().join("apps");
    let (left, used) = (place.join("toolgate-4194305"), place.join("toolgate-1"));
    fs::create_dir(&left).unwrap();
    fs::create_dir(&used).unwrap();
    let limits = ResourceLimits { processes: 10, memory_bytes: 4096, ..ResourceLimits::default() };
    let group = LimitGroup::make(&place, std::process::id(), &limits).unwrap();
    assert!(!left.exists() && used.exists());
    let read = |name: &str| fs::read_to_string(group.folder.join(name)).unwrap();
    assert_eq!((read("memory.max"), read("pids.max")), ("4096".to_owned(), "13".to_owned()));
    group.enter().unwrap();
    assert_eq!(read("cgroup.procs"), "0");
    assert!(!group.ran_out_of_memory());
}

#[test]
fn what_the_kernel_ended_for_want_of_memory_is_known() {
    let (root, _) = hierarchy("memory pids");
    let (ours, limits) = (root.path().join("apps/ours"), ResourceLimits::default());
    let events = |kills: &str| {
        let text = format!("low 0\nhigh 0\nmax 7\noom 1\noom_kill {kills}\noom_group_kill 0\n");
        fs::write(ours.join("memory.events"), text).unwrap();
    };
    events("0");
    let group = LimitGroup::set_up(&ours, &limits).unwrap();
    assert!(!group.ran_out_of_memory());
    events("1");
    assert!(group.ran_out_of_memory());
}
