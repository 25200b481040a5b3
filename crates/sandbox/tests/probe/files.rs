//! Attempts on files: outside of the workspace, and on what in it must stay as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::attempt::Attempts;

fn write(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)?.write_all(b"taken")
}

/// Runs in `work` below `around`; beside it lie `outside`, `work-sibling`, `home` and `state`.
pub(crate) fn attempt(attempts: &mut Attempts, around: &Path) {
    let (outside, work) = (around.join("outside"), around.join("work"));
    attempts.try_to("write a new file outside", write(&outside.join("new")));
    attempts.try_to("write a file outside", write(&outside.join("canary")));
    attempts.try_to("write outside by `..`", write(Path::new("sub/../../outside/canary")));
    attempts.try_to("write outside by a link", write(Path::new("link-out/canary")));
    let _ = fs::remove_file("own-link");
    let linked = symlink(&outside, "own-link").and_then(|()| write(Path::new("own-link/canary")));
    attempts.try_to("write outside by a link of its own", linked);
    attempts.is("write outside by a race of links", swap_race(&outside), "");
    attempts
        .try_to("write in a folder whose name begins alike", write(&around.join("work-sibling/x")));
    attempts.try_to("hard link to a file outside", fs::hard_link(outside.join("canary"), "hard"));
    attempts.try_to("read a file outside", fs::read(outside.join("canary")));
    let through = |link: &str| format!("{link}{}", outside.join("canary").display());
    attempts.try_to("read outside by /proc/1/root", fs::read(through("/proc/1/root")));
    attempts.try_to("write outside by /proc/1/root", write(through("/proc/1/root").as_ref()));
    attempts.try_to("read outside by /proc/1/cwd", fs::read("/proc/1/cwd/../outside/canary"));
    attempts.try_to("read a private key of the home", fs::read(around.join("home/.ssh/id_test")));
    attempts.try_to("read Toolgate's state", fs::read(around.join("state/state.db")));
    attempts.try_to("write Toolgate's state", write(&around.join("state/state.db")));
    attempts.try_to("read the machine's passwords", fs::read("/etc/shadow"));
    attempts.try_to("write a program of the system", write(Path::new("/usr/bin/probe-was-here")));
    attempts.try_to("write a setting of the system", write(Path::new("/etc/probe-was-here")));
    attempts.try_to("write in the root", write(Path::new("/probe-was-here")));
    attempts.try_to("write a hook of the repository", write(&work.join(".git/hooks/pre-commit")));
    attempts.try_to("write the repository's settings", write(&work.join(".git/config")));
    attempts.try_to("move the repository away", fs::rename(work.join(".git"), work.join("moved")));
    attempts.try_to("write a client's file", write(&work.join(".mcp.json")));
    attempts.try_to("remove a client's file", fs::remove_file(work.join(".mcp.json")));
    File::create("replacement").unwrap();
    let replaced = fs::rename("replacement", work.join(".mcp.json"));
    attempts.try_to("replace a client's file", replaced);
    attempts.try_to("write an editor's folder", write(&work.join(".vscode/tasks.json")));
    attempts.try_to("write Toolgate's own file", write(&work.join("toolgate.toml")));
    attempts.try_to("write cargo's settings", write(&work.join(".cargo/config.toml")));
    let moved = fs::rename(work.join(".cargo"), work.join("moved-cargo"));
    attempts.try_to("move the folder of cargo's settings", moved);
    make_protected(attempts, &work);
    attempts.try_to("fill its own /tmp", fill_tmp());
    attempts.try_to("write a file above the limit", grow("large", 64 << 20));
    for device in ["/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse"] {
        attempts.try_to(&format!("open {device}"), File::open(device));
    }
    attempts.try_to("open a terminal", OpenOptions::new().write(true).open("/dev/tty"));
}

/// Names that are not there yet, and must not come.
fn make_protected(attempts: &mut Attempts, work: &Path) {
    attempts.try_to("make a client's folder", fs::create_dir(work.join(".claude")));
    attempts.try_to("make a client's folder by its own name", fs::create_dir(".gemini"));
    attempts.try_to("make a file that a shell reads", write(Path::new("sub/../.envrc")));
    attempts.try_to("make a link for a folder of hooks", symlink("sub", ".husky"));
    attempts.try_to(
        "make a hard link for a client's file",
        fs::hard_link("replacement", "opencode.json"),
    );
    attempts
        .try_to("move a file into a client's place", fs::rename("replacement", "opencode.jsonc"));
    fs::create_dir("brought").unwrap();
    fs::write("brought/settings.json", "{}").unwrap();
    attempts.try_to("move a folder into a client's place", fs::rename("brought", ".codex"));
    fs::create_dir("in-the-way").unwrap();
    let exchanged = crate::kernel::exchange(c"in-the-way", c".cursor");
    attempts.try_to("exchange a folder for a client's", exchanged);
    let name = "make a protected name by a race";
    match crate::kernel::has_landlock() {
        true => attempts.is(name, crate::kernel::name_race(work), ""),
        false => attempts.skip(name, "the kernel has no Landlock"),
    }
}

/// A folder of the workspace that is now a folder and now a link to the outside, written to meanwhile.
fn swap_race(outside: &Path) -> bool {
    let _ = fs::create_dir("swapped");
    let outside_link = outside.to_owned();
    let swapping = std::thread::spawn(move || {
        for _ in 0..500 {
            let _ = fs::rename("swapped", "aside");
            let _ = symlink(&outside_link, "swapped");
            let _ = fs::remove_file("swapped");
            let _ = fs::rename("aside", "swapped");
        }
    });
    while !swapping.is_finished() {
        let _ = write(Path::new("swapped/raced"));
    }
    swapping.join().unwrap();
    outside.join("raced").exists()
}

fn fill_tmp() -> io::Result<()> {
    let grown = grow("/tmp/fill", 64 << 20);
    let _ = fs::remove_file("/tmp/fill");
    grown
}

fn grow(file: &str, bytes: usize) -> io::Result<()> {
    let mut file = File::create(file)?;
    let block = vec![1; 1 << 20];
    (0..bytes >> 20).try_for_each(|_| file.write_all(&block))
}

/// Writes so much, and says how it ended.
pub(crate) fn fill(file: &Path, bytes: usize) {
    println!("{:?}", grow(file.to_str().unwrap(), bytes).map_err(|error| error.kind()));
}
