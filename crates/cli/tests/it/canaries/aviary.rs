//! A world with a server for each way to configure a secret, and servers that repeat what they know.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::ops::Range;
use std::process::Stdio;

use serde_json::Value;
use tokio::runtime::Runtime;
use toolgate_testkit::{Act, Script, Site};

use super::search::{Search, base64, canary, html, json, percent};
use super::telling::{error_with, nested, repeated, telling, tools};
use crate::support::{Ran, World, served};

/// What the calls alone have.
pub(super) const CALLED: Range<usize> = 40..50;

pub(super) const LOCAL: [&str; 3] = ["envs", "args", "words"];
pub(super) const REMOTE: [&str; 3] = ["heads", "query", "webwords"];
/// Nobody listens there, or all that comes is an error.
pub(super) const WITHOUT_ANSWER: [&str; 2] = ["nobody", "failing"];

/// The canaries in the entry of a server: variables at first, what stands in the file after them.
pub(super) fn own(server: &str) -> Vec<usize> {
    match server {
        "envs" => (0..12).collect(),
        "args" => (12..16).chain(34..36).collect(),
        "words" => (32..34).collect(),
        "heads" => (16..26).collect(),
        "query" => (26..32).collect(),
        "webwords" => (36..40).collect(),
        _ => Vec::new(),
    }
}

fn canaries() -> Vec<String> {
    let signs = |number| match number {
        0..12 => " \"'\\&<>/+=%é…",
        16..26 => " \"'&<>/+=.!",
        12..16 | 32..40 => "-_./+",
        _ => "-_",
    };
    (0..50).map(|number| canary(number, signs(number))).collect()
}

/// The arguments of a call: what is known by its name, its schema or its look, and what is known
/// since it was configured.
pub(super) fn arguments(canaries: &[String], configured: usize) -> Value {
    let (called, configured) = (&canaries[CALLED], canaries[configured].as_str());
    serde_json::json!({
        "password": called[0],
        "pin": called[1],
        "word": called[2],
        "nested": {"deep": [{"apiKey": called[3]}]},
        "env": [{"name": "DB_PASSWORD", "value": called[4]}],
        "argv": ["run", "--token", called[5]],
        "line": format!("run --api-key={} now", called[6]),
        "body": serde_json::json!({"client_secret": called[7]}).to_string(),
        "header": format!("Authorization: Bearer {}", called[8]),
        "address": format!("https://me:{}@h.example/x", called[9]),
        "note": configured,
        "list": [repeated(configured), {"html": html(configured)}],
        "body2": format!("{{\"deep\":[\"{}\"]}}", json(configured)),
        configured: base64(configured),
    })
}

pub(super) struct Aviary {
    world: World,
    pub(super) canaries: Vec<String>,
    sites: Vec<(Runtime, Site)>,
    /// What was printed, with the command that did.
    printed: RefCell<Vec<(String, Ran)>>,
}

impl Aviary {
    pub(super) fn new() -> Self {
        let canaries = canaries();
        let of = |server: &str| -> Vec<String> {
            own(server).into_iter().map(|number| canaries[number].clone()).collect()
        };
        let sites = REMOTE.iter().map(|server| served(telling(&of(server), false))).collect();
        let mut world = World::new();
        for (number, canary) in canaries[..32].iter().enumerate() {
            world = world.with(&format!("BIRD_{number}"), canary);
        }
        world.write(World::GLOBAL, "[audit]\narguments = true\ndurability = \"before_call\"\n\n");
        for server in LOCAL {
            // The path of the script is the first argument; the others follow it below.
            let keys = format!("approval = \"approve\"\n# of {server}");
            world.local_with(server, &telling(&of(server), true), &keys);
        }
        let aviary = Self { world, canaries, sites, printed: RefCell::default() };
        aviary.configure_local();
        aviary.configure_remote();
        aviary
    }

    /// Variables under names that say nothing of a secret.
    fn pairs(numbers: Range<usize>, name: &str) -> String {
        let pair = |number| format!("\"{name}{number}\" = \"${{BIRD_{number}}}\"");
        numbers.map(pair).collect::<Vec<_>>().join(", ")
    }

    fn configure_local(&self) {
        let literal = |number: usize| &self.canaries[number];
        let envs = format!(
            "env = {{ {} }}\nenv_vars = [\"BIRD_8\", \"BIRD_9\", \"BIRD_10\", \"BIRD_11\"]",
            Self::pairs(0..8, "SETTING_")
        );
        let words =
            format!("env = {{ DB_PASSWORD = {:?}, API_KEY = {:?} }}", literal(32), literal(33));
        let args = format!(
            "args.json\", \"${{BIRD_12}}\", \"--mode=${{BIRD_13}}\", \"--token\", \
             \"${{BIRD_14}}\", \"x ${{BIRD_15}} y\", \"--api-key={}\", \"--secret\", {:?}]",
            literal(34),
            literal(35)
        );
        let file = self.world.read(World::GLOBAL);
        let file = file.replace("# of envs", &envs).replace("# of words", &words);
        self.world.write(World::GLOBAL, &file.replace("args.json\"]", &args));
    }

    fn configure_remote(&self) {
        let base = "transport = \"http\"\napproval = \"approve\"";
        let url = |number: usize| self.sites[number].1.url("/mcp");
        let heads = format!(
            "{base}\nurl = {:?}\nheaders = {{ {} }}\nenv_headers = {{ \"X-Other\" = \"BIRD_24\" }}\n\
             bearer_token_env = \"BIRD_25\"",
            url(0),
            Self::pairs(16..24, "X-Thing-")
        );
        self.world.server("heads", &heads);
        let names = ["key", "token", "q", "user", "session", "x"];
        let query = names.iter().zip(own("query")).map(|(name, n)| format!("{name}=${{BIRD_{n}}}"));
        let query = query.collect::<Vec<_>>().join("&");
        self.world.server("query", &format!("{base}\nurl = \"{}?{query}\"", url(1)));
        let literal = |number: usize| &self.canaries[number];
        let headers = format!(
            "Authorization = \"Bearer {}\", \"X-Api-Key\" = {:?}, Cookie = \"id={}\"",
            literal(36),
            literal(37),
            literal(38)
        );
        let address = format!("{}?api_key={}", url(2), percent(literal(39)));
        let words = format!("{base}\nurl = {address:?}\nheaders = {{ {headers} }}");
        self.world.server("webwords", &words);
        self.world.server("nobody", "url = \"http://127.0.0.1:1/mcp?q=${BIRD_26}&x=${BIRD_27}\"");
        let failing = self.sites[1].1.url("/status/500");
        self.world.server("failing", &format!("url = \"{failing}?q=${{BIRD_28}}\""));
    }

    /// Adds servers that say what they know instead of shaking hands.
    pub(super) fn add_broken(&self) {
        let secrets = &self.canaries[0..8];
        let lines = secrets.iter().flat_map(|secret| repeated(secret));
        let lines = lines.map(|line| Act::complain(&line)).chain([Act::Exit(3)]);
        let env = format!("env = {{ {} }}", Self::pairs(0..8, "SETTING_"));
        let broken = Script::legacy().at_start(lines.collect::<Vec<_>>());
        self.world.local_with("broken", &broken, &env);
        let message = Value::from(repeated(&secrets[0]).join(" ")).to_string();
        let refused = error_with(&message, &nested(secrets));
        let unfit = Script::legacy().on("initialize", [Act::line(refused)]);
        self.world.local_with("unfit", &unfit, &env);
    }

    /// Adds a server that says so much at once that somebody has to cut it.
    pub(super) fn add_wordy(&self) {
        let secrets = &self.canaries[0..8];
        let all: Vec<String> = secrets.iter().flat_map(|secret| repeated(secret)).collect();
        let all = all.join(" ");
        let message = Value::from(all.as_str()).to_string();
        let script = Script::legacy()
            .on("tools/list", [Act::answer(tools(&["refuse", "die"]))])
            .on_call("refuse", [Act::line(error_with(&message, "null"))])
            .on_call("die", [Act::complain(&all), Act::Exit(7)]);
        let env = format!("env = {{ {} }}\napproval = \"approve\"", Self::pairs(0..8, "SETTING_"));
        self.world.local_with("wordy", &script, &env);
    }

    fn note(&self, arguments: &[&str], ran: Ran) {
        self.printed.borrow_mut().push((arguments.join(" "), ran));
    }

    pub(super) fn run(&self, arguments: &[&str]) {
        self.note(arguments, self.world.run(arguments));
    }

    pub(super) fn run_with(&self, arguments: &[&str], input: &Value) {
        self.note(arguments, self.world.run_with_input(arguments, &input.to_string()));
    }

    /// Calls with everything that a call can carry, this configured canary among it.
    pub(super) fn call(&self, server: &str, tool: &str, configured: usize, flags: &[&str]) {
        let arguments = arguments(&self.canaries, configured);
        self.run_with(&[&["call", server, tool, "--args", "-"], flags].concat(), &arguments);
    }

    pub(super) fn look_at_records(&self) {
        self.run(&["audit", "--limit", "1000"]);
        self.run(&["audit", "export"]);
        self.run(&["audit", "verify"]);
        let list = ["audit", "--json", "--limit", "1000"];
        let calls = self.world.run(&list).ok();
        for call in calls.json()["calls"].as_array().unwrap() {
            let reference = call["correlationId"].as_str().unwrap();
            self.run(&["audit", "show", reference]);
            self.run(&["audit", "show", reference, "--json"]);
        }
        self.note(&list, calls);
    }

    /// The command lines of a call that waits and of all that it started, each with whether it is the
    /// server's.
    pub(super) fn command_lines(&self, server: &str) -> Vec<(bool, Vec<u8>)> {
        // The log has what a server writes to standard error as it comes.
        let log = ["--log-level", "info", "--timeout-ms", "60000"];
        let words = [&["call", server, "wait", "--args", "-"][..], &log].concat();
        let mut command = self.world.command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = arguments(&self.canaries, own(server)[0]).to_string();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("now it waits") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it never waited");
        }
        let script = format!("{server}.json");
        let shown = |line: Vec<u8>| (String::from_utf8_lossy(&line).contains(&script), line);
        let all = family(child.id()).into_iter();
        let lines = all.filter_map(|id| std::fs::read(format!("/proc/{id}/cmdline")).ok());
        let lines = lines.map(shown).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        lines
    }

    fn files(&self) -> Vec<(String, Vec<u8>)> {
        Search::files(&self.world.home().join(".local/state/toolgate"))
    }

    /// Neither in what was printed nor in any file that was left behind.
    #[track_caller]
    pub(super) fn check_that_none_is_found(&self) {
        let search = Search::new(&self.canaries);
        let printed = self.printed.borrow();
        let texts = printed.iter().map(|(command, ran)| {
            (command.clone(), format!("{}\n{}", ran.stdout, ran.stderr).into_bytes())
        });
        let mut leaks = Vec::new();
        for (place, bytes) in texts.chain(self.files()) {
            leaks.extend(search.found(&bytes).into_iter().map(|leak| (place.clone(), leak)));
        }
        // One of each is enough to see where to look.
        leaks.sort();
        leaks.dedup_by(|(place, (number, _)), (before, (known, _))| {
            (place, number) == (before, known)
        });
        assert!(leaks.is_empty(), "{} leaks: {leaks:#?}", leaks.len());
    }

    /// There was something to find: sent, repeated, recorded and logged.
    pub(super) fn check_that_they_were_there(&self) {
        let visits = self.sites[0].1.visits();
        for number in own("heads") {
            let has = |text: &str| text.contains(&self.canaries[number]);
            let sent = visits.iter().flat_map(|visit| visit.headers.values());
            assert!(sent.into_iter().any(|v| v.to_str().is_ok_and(has)), "{number} was not sent");
        }
        let files = self.files();
        for (name, words) in [("toolgate.log", "server stderr"), ("state.db", "***")] {
            let has = |(file, bytes): &(String, Vec<u8>)| {
                file.contains(name) && String::from_utf8_lossy(bytes).contains(words)
            };
            assert!(files.iter().any(has), "{name} has no {words}");
        }
        let printed = self.printed.borrow();
        for (command, words) in [
            ("audit export", r#""password":"***""#),
            ("call envs refuse --args - -v --json", "refused: sent *** as ***"),
            ("call heads refuse --args - -v --json", "refused: sent *** as ***"),
            ("call envs die --args - -v", "sent *** as ***"),
        ] {
            let (_, ran) = printed.iter().find(|(known, _)| known == command).unwrap();
            let text = format!("{}{}", ran.stdout, ran.stderr);
            assert!(text.contains(words), "{command}: {text}");
        }
    }
}

/// A process and all below it.
fn family(root: u32) -> Vec<u32> {
    let parent = |id: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name stands in parentheses and may hold anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let all = std::fs::read_dir("/proc").unwrap();
    let ids = all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let pairs: Vec<(u32, u32)> = ids.filter_map(|id| Some((id, parent(id)?))).collect();
    let mut family = vec![root];
    let mut next = 0;
    while let Some(member) = family.get(next).copied() {
        family.extend(pairs.iter().filter(|(_, parent)| *parent == member).map(|(id, _)| *id));
        next += 1;
    }
    family
}
