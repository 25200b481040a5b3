//! The steps of an attack, one after the other.

use std::fs;
use std::io::{self, Write as _};

use serde_json::Value;

use super::attack::{Attack, AttackStep, Deed};
use super::expected::Seen;
use super::gate as http;
use super::login;
use super::stage::{Stage, reached_path};
use crate::daemon::house::{Ends, eventually, until};
use crate::serve::gate::Gate;
use crate::support::Ran;

const LOG: &str = ".local/state/toolgate/logs/toolgate.log";

/// An error says which step went otherwise, and how.
pub(super) fn play(attack: &Attack) -> Result<(), String> {
    if let Some(missing) = attack.needs.iter().find(|program| !is_there(program)) {
        assert!(std::env::var_os("CI").is_none(), "{missing} is missing");
        let words = format!("SKIPPED: {} ({missing} is missing)\n", attack.tries);
        io::stderr().write_all(words.as_bytes()).unwrap();
        return Ok(());
    }
    let mut stage = Stage::set(attack);
    let played = steps(&mut stage, &attack.step);
    drop((stage.window.take(), stage.gate.take()));
    let _ends = Ends(&stage.world);
    let log = || fs::read_to_string(stage.world.home().join(LOG)).unwrap_or_default();
    let Attack { tries, by, must, .. } = attack;
    played.map_err(|why| format!("{tries} (by: {by:?})\n{why}\n({must})\n{}", log()))
}

fn steps(stage: &mut Stage, steps: &[AttackStep]) -> Result<(), String> {
    let all = steps.iter().enumerate();
    for (at, step) in all.flat_map(|one| std::iter::repeat_n(one, one.1.times)) {
        let AttackStep { deed, expected, keep, .. } = step;
        if let Deed::Reached { server } = deed {
            // A server hears of a call that was given up when its caller has long been answered.
            until(|| expected.is_shown_in(&reached(stage, server), |text| stage.fill(text)));
        }
        let mut seen = done(stage, deed);
        // As commands print it already, for what else is looked at.
        seen.text = stage.world.steady(&seen.text);
        let fill = |text: &str| stage.world.steady(&stage.fill(text));
        let checked = expected.check(&seen, &stage.world, fill);
        checked.map_err(|why| format!("step {}: {why}", at + 1))?;
        for (name, before) in keep {
            let after = seen.text.split_once(before.as_str()).map(|(_, after)| after);
            let after = after.ok_or_else(|| format!("step {}: no {before:?}", at + 1))?;
            let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\\' | ',' | ')');
            let word = after.split(is_end).next().unwrap_or_default();
            stage.words.insert(name.clone(), word.to_owned());
        }
    }
    Ok(())
}

fn done(stage: &mut Stage, deed: &Deed) -> Seen {
    match deed {
        Deed::Run { args, input } => {
            let args = stage.fill_all(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            of(match input.as_str() {
                "" => stage.world.run(&args),
                input => stage.world.run_with_input(&args, &stage.fill(input)),
            })
        }
        Deed::Terminal { args, types } => {
            let args = stage.fill_all(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            of(stage.world.run_at_terminal(&args, types))
        }
        Deed::Shell { script } => of(stage.shell(&stage.fill(script))),
        Deed::ShellAtTerminal { script, types } => {
            let script = stage.fill(script);
            let mut terminal = stage.world.program_at_terminal("sh", &["-c", &script]);
            terminal.type_in(types);
            of(terminal.ended(&stage.world))
        }
        Deed::Window { args, asks } => {
            stage.open_window(args, *asks);
            Seen::default()
        }
        Deed::AgentRuns { args } => {
            let args = stage.fill_all(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            of(stage.errands.as_ref().expect("a step `window` before").run(&args))
        }
        Deed::Send { method, params, line } => {
            let line = match line {
                Some(line) => stage.fill(line),
                None => request(900, method.as_deref().unwrap(), &params_of(stage, params)),
            };
            let is_named = |answer: &Value| answer["id"] == 900 || answer["id"].is_null();
            stage.window().client.send(format!("{line}\n"));
            Seen::text(answer(stage, is_named))
        }
        Deed::Call { params } => {
            let params = stage.fill(params);
            let id = stage.call.map_or(1000, |last| last + 1);
            stage.call = Some(id);
            let line = request(id, "tools/call", &params);
            stage.window().client.send(format!("{line}\n"));
            Seen::default()
        }
        Deed::Waiting => Seen::text(waiting(stage)),
        Deed::Asked => {
            let asked = message(stage, |message| message["method"] == "elicitation/create");
            let asked: Value = serde_json::from_str(&asked).unwrap();
            stage.question = Some(asked["id"].clone());
            Seen::text(asked["params"]["message"].as_str().unwrap_or_default())
        }
        Deed::Says { result } => {
            let (id, result) = (stage.question.take().unwrap(), stage.fill(result));
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            stage.window().client.send(format!("{line}\n"));
            Seen::default()
        }
        Deed::Approve { args, types } => {
            let args = stage.fill_all(args);
            let words = ["approve", &stage.words["ref"]].map(str::to_owned);
            let args: Vec<&str> = words.iter().chain(&args).map(String::as_str).collect();
            of(stage.world.run_at_terminal(&args, types.as_deref().unwrap_or("y\n")))
        }
        Deed::Answer => {
            let id = stage.call.expect("a step `call` before");
            Seen::text(answer(stage, |answer| answer["id"] == id))
        }
        Deed::Reached { server } => Seen::text(reached(stage, server)),
        Deed::Serve { args } => {
            let args = stage.fill_all(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let serve = ["serve", "--listen", "127.0.0.1:0"];
            // One that is started again ends first.
            drop(stage.gate.take());
            let gate = Gate::start(&stage.world, &[&serve, &args[..]].concat());
            let url = gate.endpoint().strip_suffix("/mcp").unwrap().to_owned();
            stage.words.insert("url".to_owned(), url);
            stage.words.insert("address".to_owned(), gate.address().to_owned());
            if let Some(token) = gate.first_token() {
                stage.words.insert("token".to_owned(), token.to_owned());
            }
            let greeting = gate.greeting.clone();
            stage.gate = Some(gate);
            Seen::text(greeting)
        }
        Deed::Http { method, path, headers, body } => {
            let gate = stage.gate.as_ref().expect("a step `serve` before");
            let headers = stage.fill_all(headers);
            let (path, body) = (stage.fill(path), stage.fill(body));
            http::request(gate, method, &path, &headers, &body)
        }
        Deed::CallerRuns { args } => {
            let args = stage.fill_all(args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            of(stage.gate.as_ref().expect("a step `serve` before").caller().runs(&args))
        }
        Deed::Login { server, pastes } => login::log_in(stage, server, pastes),
        Deed::Write { path, text } => {
            stage.world.write(path, &stage.fill(text));
            Seen::default()
        }
    }
}

/// Everything that a server was told so far.
fn reached(stage: &Stage, server: &str) -> String {
    fs::read_to_string(reached_path(&stage.world, server)).unwrap_or_default()
}

fn of(ran: Ran) -> Seen {
    let Ran { code, stdout, stderr } = ran;
    Seen { text: stdout + &stderr, exit: Some(code), ..Seen::default() }
}

fn params_of(stage: &Stage, params: &Option<String>) -> String {
    params.as_deref().map_or_else(|| "{}".to_owned(), |params| stage.fill(params))
}

/// Byte for byte what the attack says, but for the envelope.
fn request(id: u64, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method:?},"params":{params}}}"#)
}

fn answer(stage: &mut Stage, fits: impl Fn(&Value) -> bool) -> String {
    message(stage, |message| message.get("method").is_none() && fits(message))
}

/// The next message that fits, as it came.
fn message(stage: &mut Stage, fits: impl Fn(&Value) -> bool) -> String {
    loop {
        let line = stage.window().client.line();
        assert!(!line.is_empty(), "the shim ended");
        if fits(&serde_json::from_str(&line).unwrap()) {
            return line;
        }
    }
}

/// The whole prompt of the only call that waits.
fn waiting(stage: &mut Stage) -> String {
    let mut waiting = Vec::new();
    eventually("it waits", || {
        let listed = stage.world.run(&["approvals", "--json"]).ok().json();
        waiting = listed["approvals"].as_array().unwrap().clone();
        waiting.len() == 1
    });
    let word = waiting[0]["ref"].as_str().unwrap().to_owned();
    stage.words.insert("ref".to_owned(), word);
    waiting[0]["text"].as_str().unwrap().to_owned()
}

fn is_there(program: &str) -> bool {
    let folders = ["/usr/local/bin", "/usr/bin", "/bin"];
    folders.iter().any(|folder| std::path::Path::new(folder).join(program).exists())
}
