//! A world in which whatever others can name has a name that takes a terminal over: the folder, keys
//! and values of a cloned project's files, and every word of a server.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::daemon::house::Ends;
use crate::support::{Ran, Terminal, World};

/// To the clipboard (OSC 52), to the printer, a colour in one byte, text from right to left, nothing
/// at all, a tag, a mark, and the line from its start.
pub(super) const MARK: &str =
    "\u{1b}]52;c;aGk=\u{7}\u{1b}[5i\u{9b}31m\u{202e}\u{200b}\u{e0041}\u{feff}\r";

/// A line that would look like one of ours.
pub(super) const FORGED: &str = "\nforged";

/// Everything that is tried, in this order.
pub(super) const TRIED: &[&[&str]] = &[
    &["restart"],
    &["demo"],
    &["init"],
    &["uninstall", "--dry-run"],
    &["list"],
    &["list", "--json"],
    &["list", "--check"],
    &["list", "--check", "--json"],
    &["restart", "evil"],
    &["server", MARK],
    &["restart", MARK],
    &["stop", MARK],
    &["get", "evil"],
    &["get", "pending"],
    &["get", "pending", "--json"],
    &["get", MARK],
    &["login", "evil"],
    &["login", MARK],
    &["logout", "evil"],
    &["logout", MARK],
    &["auth", "list"],
    &["auth", "list", "--json"],
    &["config", "check"],
    &["config", "check", "--json"],
    &["config", "show"],
    &["config", "show", "--json"],
    &["config", "path"],
    &["config", "path", "--json"],
    &["config", "schema"],
    &["tools"],
    &["tools", "-v"],
    &["tools", "--manifest"],
    &["tools", "--json"],
    &["tools", "show", "evil", "speak"],
    &["tools", "show", "evil__speak", "--json"],
    &["tools", "show", MARK],
    &["tools", "search", "speak"],
    &["tools", "search", "speak", "--json"],
    &["tools", "search", MARK],
    &["tools", "--server", "evil", "--log-level", "trace"],
    &["tools", "--server", "evil", "--log-level", "trace", "--log-format", "json"],
    &["test", "evil"],
    &["test", "gone"],
    &["test", "loud"],
    &["test", "gone", "--json"],
    &["test", "broken"],
    &["call", "evil", "speak"],
    &["call", "evil", "speak", "-v"],
    &["call", "evil", "speak", "--json"],
    &["call", "evil", "fail"],
    &["call", "evil", "refuse"],
    &["call", "evil", "refuse", "--json"],
    &["call", "evil", MARK],
    &["call", "evil__speak"],
    &["call", MARK],
    &["call", "evil", "speak", MARK],
    &["call", "gone", "speak"],
    &["call", "loud", "speak"],
    &["call", "evil", "speak", "--log-level", "trace"],
    &["explain", "evil", "speak"],
    &["explain", "evil", MARK],
    &["off", "evil"],
    &["off", "evil", "--here"],
    &["off", "evil", "--session"],
    &["off", MARK],
    &["list"],
    &["explain", "evil", "speak"],
    &["status"],
    &["on", "evil"],
    &["on", MARK],
    &["policy", "suggest"],
    &["policy", "suggest", "--json"],
    &["use", "nobody"],
    &["use", MARK],
    &["use"],
    &["use", "--all"],
    &["resources"],
    &["resources", "--json"],
    &["resources", "read", "evil", "test://it"],
    &["resources", "read", "evil", MARK],
    &["prompts"],
    &["prompts", "get", "evil", "it"],
    &["prompts", "get", "evil", "it", "--json"],
    &["import", "claude-code"],
    &["import", "claude-code", "--json"],
    &["import", "cursor", "--dry-run"],
    &["import", "cursor", "--dry-run", "--json"],
    &["import", "cursor"],
    &["import", "cursor", "--scope", "global"],
    &["import", MARK],
    &["connect", "claude-code", "--scope", "project", "--dry-run"],
    &["connect", "codex", "--scope", "project", "--dry-run"],
    &["connect", "cursor", "--scope", "project", "--dry-run"],
    &["connect", "cursor", "--scope", "project"],
    &["connect", MARK],
    &["disconnect", "codex", "--scope", "project"],
    &["disconnect", "cursor", "--scope", "project"],
    &["trust"],
    &["trust", "--list"],
    &["trust", "--list", "--json"],
    &["trust", MARK],
    &["trust", "--revoke", MARK],
    &["pins"],
    &["pins", "diff", "evil"],
    &["pins", "accept", "evil", MARK],
    &["pins", "lock"],
    &["token", "create", "it", "--role", "nobody"],
    &["token", "create", MARK],
    &["token", "list"],
    &["token", "revoke", MARK],
    &["secret", "set", MARK],
    &["secret", "list"],
    &["secret", "remove", MARK],
    &["sandbox", "explain", MARK],
    &["sandbox", "explain", "local", MARK],
    &["sandbox", "run", "--", MARK],
    &["sandbox", "learn", "--", MARK],
    &["approvals"],
    &["audit"],
    &["audit", "--json"],
    &["audit", "verify"],
    &["audit", "export"],
    &["audit", "show", MARK],
    &["logs"],
    &["logs", "--json"],
    &["status"],
    &["status", "evil"],
    &["status", "--json"],
    &["doctor"],
    &["doctor", "--json"],
    &["add", "typed", "--env", "A=b", "--", MARK],
    &["add", MARK, "--", "x"],
    &["add", "typed", "--", "x"],
    &["add-json", "other", "{\"\u{1b}]52;c;aGk=\u{7}\u{202e}\":1}"],
    &["enable", "typed"],
    &["disable", "typed"],
    &["disable", MARK],
    &["remove", "typed"],
    &["remove", MARK],
    &["completions", "bash"],
    &["man"],
    &["man", MARK],
    &["list", "--config", MARK],
    &[MARK],
    &["stop"],
];

pub(super) struct Spoilt {
    pub(super) world: World,
}

impl Spoilt {
    pub(super) fn new() -> Self {
        let project = format!("pro{MARK}{FORGED}");
        let world = World::with_project(&project).with("TERM", "xterm");
        world.local("evil", &evil());
        let loud = Script::legacy()
            .at_start([Act::complain(&format!("loud says {MARK}"))])
            .on("tools/list", [Act::answer(r#"{"tools":[{"name":"speak"}]}"#)])
            .on_call("speak", [Act::say("it")]);
        world.local_with("loud", &loud, "approval = \"approve\"\nstderr = \"inherit\"");
        world.server("gone", &format!("command = {}", toml("/nowhere/gone", MARK)));
        let write = |path: &str, text: &str| drop(world.write(&format!("{project}/{path}"), text));
        write("toolgate.toml", &clones());
        let key = text(&format!("docs{MARK}{FORGED}"));
        // One that is there twice, and one that is called so.
        let twice =
            format!(r#"{{"mcpServers":{{{key}:{{"command":"x"}},{key}:{{"command":"y"}}}}}}"#);
        write(".mcp.json", &twice);
        let mark = Value::from(MARK);
        let servers = json!({ "mcpServers": { format!("docs{MARK}{FORGED}"): {
            "command": "sh", "args": ["-c", mark, ""], "cwd": mark,
            "env": { "A": mark, format!("B{MARK}"): "c" }, format!("odd{MARK}"): 1,
        }, "plain": { "command": "sh", "args": [mark], "env": { "A": mark } } } });
        write(".cursor/mcp.json", &format!("{servers:#}\n"));
        let name = toml("docs", MARK);
        write(".codex/config.toml", &format!("[mcp_servers.{name}]\n[mcp_servers.{name}]\n"));
        Self { world }
    }

    /// What a person says to every question is no, or the next page.
    pub(super) fn at_terminal(&self, arguments: &[&str]) -> Ran {
        let mut terminal = self.start(arguments);
        terminal.type_in(&"\n".repeat(20));
        terminal.type_in("\u{4}");
        terminal.ended(&self.world)
    }

    pub(super) fn piped(&self, arguments: &[&str]) -> Ran {
        self.world.run(arguments)
    }

    pub(super) fn start(&self, arguments: &[&str]) -> Terminal {
        self.world.at_terminal(arguments)
    }
}

impl Drop for Spoilt {
    fn drop(&mut self) {
        drop(Ends(&self.world));
    }
}

/// A server every word of which is one.
fn evil() -> Script {
    let mark = |before: &str| text(&format!("{before}{MARK}"));
    let tools = ["speak", "fail", "refuse"].map(|name| {
        let (description, title) = (mark(name), mark("title"));
        let schema = r#"{"type":"object"}"#;
        let words = format!(r#""title":{title},"description":{description}"#);
        format!(r#"{{"name":"{name}",{words},"inputSchema":{schema}}}"#)
    });
    let odd = format!(r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#, mark("odd"));
    let said = |what: &str| mark(what);
    Script::legacy()
        .offering(r#"{"tools":{},"resources":{},"prompts":{},"logging":{}}"#)
        .at_start([Act::complain(&format!("complains {MARK}"))])
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{},{odd}]}}"#, tools.join(",")))])
        .on_call(
            "speak",
            [
                Act::notify(
                    "notifications/progress",
                    &format!(
                        r#"{{"progressToken":${{token}},"progress":1,"message":{}}}"#,
                        said("p")
                    ),
                ),
                Act::notify(
                    "notifications/message",
                    &format!(r#"{{"level":"error","logger":{},"data":{}}}"#, said("l"), said("d")),
                ),
                Act::say(&format!("says\t{MARK}\nmore")),
            ],
        )
        .on_call(
            "fail",
            [Act::answer(format!(
                r#"{{"isError":true,"content":[{{"type":"text","text":{}}}]}}"#,
                said("failed")
            ))],
        )
        .on_call("refuse", [Act::refuse(-32000, &format!("refused {MARK}"))])
        .on(
            "resources/list",
            [Act::answer(format!(
                r#"{{"resources":[{{"uri":"test://it","name":{},"description":{}}}]}}"#,
                said("n"),
                said("d")
            ))],
        )
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on(
            "resources/read",
            [Act::answer(format!(
                r#"{{"contents":[{{"uri":"test://it","text":{}}}]}}"#,
                said("read")
            ))],
        )
        .on(
            "prompts/list",
            [Act::answer(format!(
                r#"{{"prompts":[{{"name":"it","description":{}}}]}}"#,
                said("prompt")
            ))],
        )
        .on(
            "prompts/get",
            [Act::answer(format!(
                r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}]}}"#,
                said("prompted")
            ))],
        )
}

/// What a clone brings.
fn clones() -> String {
    let mark = |before: &str| toml(before, MARK);
    let forged = toml("key", &format!("{MARK}{FORGED}"));
    format!(
        "[servers.pending]\ncommand = \"sh\"\nargs = [\"-c\", {}, {}]\ncwd = {}\n\
         description = {}\nenv = {{ A = {} }}\n\
         [servers.pending.tools.{}]\napproval = \"approve\"\n\
         [servers.broken]\ncommand = \"x\"\n{forged} = 1\n\
         [servers.far]\nurl = {}\nheaders = {{ X = \"x\" }}\ndescription = {}\n\
         [tools.odd]\ncommand = {}\ndescription = {}\n\
         [bundles.some]\nserver = \"pending\"\nallow_tools = [{}]\ndescription = {}\n",
        mark("a"),
        forged,
        mark("c"),
        mark("d"),
        mark("e"),
        mark("t"),
        toml("https://a.example/", "\u{202e}\u{200b}"),
        mark("f"),
        mark("./o"),
        mark("o"),
        mark("b"),
        mark("s"),
    )
}

/// As a JSON text.
fn text(text: &str) -> String {
    Value::from(text).to_string()
}

/// As a TOML text, every character of it that is not plain as an escape.
fn toml(before: &str, text: &str) -> String {
    let escape = |c: char| match c {
        c if c.is_ascii_graphic() && c != '"' && c != '\\' => c.to_string(),
        c => format!("\\U{:08x}", u32::from(c)),
    };
    format!("\"{before}{}\"", text.chars().map(escape).collect::<String>())
}
