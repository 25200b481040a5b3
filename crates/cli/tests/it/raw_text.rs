//! Nothing raw reaches a terminal: every verb, in a world where everything that somebody else can
//! name is named to take a terminal over.
//!
//! What a terminal got is looked at byte by byte. The only escapes in it are our own, which are few
//! and known.

mod world;

use crate::support::Ran;
use world::{FORGED, MARK, Spoilt};

/// What we send a terminal ourselves: colours, a screen drawn anew, a spinner.
const OURS: [&str; 11] = [
    "\u{1b}[31m",
    "\u{1b}[33m",
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[4m",
    "\u{1b}[2K",
    "\u{1b}[1A",
    "\u{1b}[H",
    "\u{1b}[2J",
    "\u{1b}[?25l",
    "\u{1b}[?25h",
];

/// What is there that is neither shown nor ours.
fn raw(text: &str) -> Vec<char> {
    let text = OURS.iter().fold(text.to_owned(), |text, ours| text.replace(ours, ""));
    text.chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).filter(|c| is_raw(*c)).collect()
}

/// Told here anew, and not as the program does.
fn is_raw(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[track_caller]
fn holds(name: &[&str], ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let raw = raw(text);
        assert!(raw.is_empty(), "{name:?} lets {raw:?} through: {ran:#?}");
        // A carriage return alone starts the line anew; only a spinner does that.
        let text = text.replace("\r\u{1b}[2K", "").replace("\r\n", "\n");
        assert!(!text.contains('\r'), "{name:?} lets a carriage return through: {ran:#?}");
        let is_forged = |line: &str| line.starts_with(FORGED.trim());
        assert!(!text.lines().any(is_forged), "{name:?} lets a line through: {ran:#?}");
    }
}

#[test]
fn what_is_raw_is_known_when_it_is_seen() {
    for mark in MARK.chars().filter(|c| !c.is_ascii_graphic() && *c != '\r') {
        assert!(!raw(&format!("a{mark}b")).is_empty(), "{mark:?}");
    }
    assert!(raw("\u{1b}[31merror\u{1b}[0m: größe 日本\n").is_empty());
    assert!(!raw("\u{1b}[5i").is_empty());
}

/// The verbs that are not run here, each for a reason.
const ELSEWHERE: [(&str, &str); 4] = [
    ("help", "our own words"),
    ("mcp", "another name for the other verbs"),
    ("approve", "wants a call that waits: the corpus has those"),
    ("deny", "the same"),
];

#[test]
fn every_verb_is_tried() {
    let spoilt = Spoilt::new();
    let help = spoilt.world.run(&["--help"]).ok().stdout;
    let verbs = help.lines().skip_while(|line| *line != "Servers:");
    let verbs = verbs.take_while(|line| *line != "Options:");
    let verbs: Vec<&str> = verbs
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(|verb| verb.trim_end_matches(','))
        .collect();
    assert!(verbs.len() > 25, "{verbs:?}");
    let tried: Vec<&str> = world::TRIED.iter().map(|arguments| arguments[0]).collect();
    let others = ["serve", "stdio"];
    for verb in verbs {
        let is_elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == verb);
        let is_tried = tried.contains(&verb) || others.contains(&verb);
        assert!(is_tried != is_elsewhere, "{verb}: {tried:?}");
    }
}

#[test]
fn at_a_terminal_nothing_raw_is_seen_whatever_the_verb() {
    let spoilt = Spoilt::new();
    let mut seen = String::new();
    for arguments in world::TRIED {
        let ran = spoilt.at_terminal(arguments);
        holds(arguments, &ran);
        if ran.stdout.contains("\\u{1b}]52") || ran.stdout.contains("\\u001b]52") {
            seen.push_str(arguments[0]);
            seen.push('\n');
        }
    }
    // They were there to be seen.
    for verb in ["import", "connect", "trust", "config", "tools", "call", "status", "audit", "logs"]
    {
        assert!(seen.lines().any(|line| line == verb), "{verb} showed nothing: {seen}");
    }
}

#[test]
fn in_a_pipe_only_a_servers_words_and_json_are_as_they_came() {
    let spoilt = Spoilt::new();
    for arguments in world::TRIED {
        let ran = spoilt.piped(arguments);
        let is_data = ["call", "resources", "prompts", "audit"].contains(&arguments[0])
            || arguments.contains(&"--json");
        let stdout = if is_data { String::new() } else { ran.stdout.clone() };
        // Whoever was given our standard error has the pipe behind it, too.
        let is_ours = |line: &&str| !line.contains("loud says");
        let stderr = ran.stderr.split_inclusive('\n').filter(is_ours).collect();
        holds(arguments, &Ran { stdout, stderr, ..ran });
    }
    let ran = spoilt.piped(&["call", "evil", "speak"]);
    assert!(ran.stdout.contains(MARK), "{ran:?}");
}

#[test]
fn nor_are_a_daemon_a_gate_and_a_server_that_has_our_standard_error() {
    let spoilt = Spoilt::new();
    // `stdio` by hand: the protocol itself, on the screen.
    // Without bundles everything is seen.
    std::fs::remove_file(spoilt.world.project().join("toolgate.toml")).unwrap();
    spoilt.piped(&["tools", "--server", "evil"]).ok();
    // Who starts it is the person whose configuration counts.
    let program = assert_cmd::cargo::cargo_bin!("toolgate").display();
    let script = format!("{program} stdio --standalone\ntrue\n");
    // In a file: a shell that was told a command is looked through, and the client were this test.
    let script = spoilt.world.write("home/script", &script);
    let mut terminal = spoilt.world.program_at_terminal("sh", &[script.to_str().unwrap()]);
    terminal.type_in(concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
        r#""capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n"
    ));
    terminal.until("\\u202e");
    terminal.type_in("\u{4}");
    let ran = terminal.ended(&spoilt.world);
    holds(&["stdio"], &ran);
    let mut terminal = spoilt.start(&["serve", "--listen", "127.0.0.1:0"]);
    terminal.until("stop with Ctrl-C");
    spoilt.piped(&["stop"]).ok();
    let ran = terminal.ended(&spoilt.world);
    assert!(ran.stdout.contains("serving ") && ran.stdout.contains("\\u{202e}"), "{ran:?}");
    holds(&["serve"], &ran);
    // It complains when it starts.
    let ran = spoilt.at_terminal(&["tools", "--server", "loud"]);
    assert!(ran.stdout.contains("loud says \\u{1b}]52"), "{ran:?}");
    holds(&["tools"], &ran);
}
