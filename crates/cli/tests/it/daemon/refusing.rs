//! Who is not let in, and what gains nothing.

use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use super::house::{Daemon, Ends, Window, house, teller};
use crate::stdio::daemon::run_folder;

/// A cloned project's entry for a client can pass flags and variables to `toolgate stdio`.
#[test]
fn what_an_entry_of_a_project_passes_gains_nothing() {
    let world = house();
    world.local("mine", &teller());
    let _ends = Ends(&world);
    let evil = format!(
        "[servers.evil]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"touch {}\"]\n\
        startup = \"eager\"\ntrust = \"trusted\"\n",
        world.home().join("owned").display()
    );
    let file = world.write("project/evil.toml", &evil);
    world.write("project/home/.config/toolgate/config.toml", &evil);
    let home = world.project().join("home").display().to_string();
    let inline = r#"{"servers":{"inline":{"command":"touch","args":["owned"],"startup":"eager"}}}"#;
    let variables = [
        ("HOME", home.as_str()),
        ("XDG_CONFIG_HOME", "/evil"),
        ("TOOLGATE_GLOBAL_CONFIG", file.to_str().unwrap()),
        ("TOOLGATE_CONFIG_JSON", inline),
        ("PATH", "/evil"),
    ];
    let arguments = ["stdio", "--config", file.to_str().unwrap()];
    let mut window = Window::open_with(&world, &[], &variables, &arguments);
    assert_eq!(window.tools(), ["mine__die", "mine__let_go", "mine__wait", "mine__who"]);
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", Daemon::of(&world).pid));
    assert!(!environment.unwrap().contains("evil"));
    assert!(!world.exists("home/owned") && !world.exists("project/owned"));
}

#[test]
fn a_role_that_is_not_there_is_refused_with_a_word() {
    let world = house();
    world.local("mine", &teller());
    let _ends = Ends(&world);
    let mut client =
        crate::stdio::client::Client::start_with(&world, &[], &[], &["stdio", "--role", "admin"]);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}\n");
    let answer = client.message();
    assert!(answer["error"]["message"].as_str().unwrap().contains("role"), "{answer}");
    client.finish();
    assert_ne!(client.ended().code, Some(0));
}

/// Another user gets nothing at either socket, not even a word.
#[test]
fn another_user_is_refused_at_both_sockets() {
    let world = house();
    world.local("mine", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    window.call("mine__who");
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let has_setpriv =
        Command::new("setpriv").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_root || !has_setpriv || !Path::new("/usr/bin/perl").exists() {
        eprintln!("SKIPPED: another user can only be played by root with setpriv and perl");
        return;
    }
    let folder = run_folder(&world);
    // Even where the folder would let them in.
    for above in folder.ancestors().take(4) {
        let _ = Command::new("chmod").args(["a+rx", above.to_str().unwrap()]).status();
    }
    for name in ["agent.sock", "control.sock"] {
        let socket = folder.join(name);
        let _ = Command::new("chmod").args(["a+rw", socket.to_str().unwrap()]).status();
        let script = "use IO::Socket::UNIX; alarm 20; $SIG{PIPE} = 'IGNORE'; \
            my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die \"cannot connect: $!\"; \
            syswrite $s, qq({\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.info\"}\\n); \
            print 0 + (sysread($s, my $heard, 1000) // 0);";
        let heard = Command::new("setpriv")
            .args(["--reuid", "65534", "--clear-groups", "/usr/bin/perl", "-e", script])
            .arg(&socket)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&heard.stdout).into_owned();
        let why = String::from_utf8_lossy(&heard.stderr).into_owned();
        assert_eq!(said.trim(), "0", "{name}: {why}");
    }
    // This user is answered.
    let mut own = UnixStream::connect(folder.join("control.sock")).unwrap();
    std::io::Write::write_all(
        &mut own,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.info\"}\n",
    )
    .unwrap();
    let mut answer = [0; 16];
    own.read_exact(&mut answer).unwrap();
}
