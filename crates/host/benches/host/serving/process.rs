//! The servers that are processes: this very program, started again with a part to play.

use std::fs::OpenOptions;
use std::io::{BufRead as _, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Asked, Server};
use crate::Failure;

/// The first argument of a program that plays a part.
pub(crate) const WORD: &str = "play";

const LIST: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;

/// Plays the part that the arguments name, until the input ends.
pub(crate) fn play(words: &[String]) -> Result<(), Failure> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["good"] => answer_all(&Server::legacy(crate::world::two_hundred_tools("good"))),
        ["hangs"] => hang(),
        ["floods"] => flood(),
        ["crashes", file] => crash(file),
        _ => Err("no such part".into()),
    }
}

fn answer_all(server: &Server) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        if let Some(answer) = server.answer(&line?) {
            out.write_all(format!("{answer}\n").as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Is there, has a tool, and never answers a call.
fn hang() -> Result<(), Failure> {
    let server = Server::legacy(LIST.to_owned());
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !is_call(&line)
            && let Some(answer) = server.answer(&line)
        {
            out.write_all(format!("{answer}\n").as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}

/// Writes when it was started, and ends.
fn crash(file: &str) -> Result<(), Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?
        .write_all(format!("{now}\n").as_bytes())?;
    std::process::exit(3)
}

/// Answers, and says as much as it can in between; a call is told how many notifications there were.
fn flood() -> Result<(), Failure> {
    let (hear, heard) = channel();
    std::thread::spawn(move || pour(&heard));
    read_all(&hear)
}

fn read_all(hear: &Sender<String>) -> Result<(), Failure> {
    for line in std::io::stdin().lock().lines() {
        hear.send(line?)?;
    }
    Ok(())
}

fn pour(heard: &Receiver<String>) -> Result<(), Failure> {
    let server = Server::legacy(LIST.to_owned());
    let kinds = [
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still here"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/its/own","params":{"why":"no reason"}}"#,
    ];
    let times = 100;
    let chunk = format!("{}\n", kinds.join("\n")).repeat(times);
    let mut out = std::io::stdout().lock();
    let (mut said, mut is_pouring) = (0, false);
    loop {
        let lines: Vec<String> = match is_pouring {
            true => heard.try_iter().collect(),
            false => vec![heard.recv()?],
        };
        for line in lines {
            is_pouring |= line.contains("notifications/initialized");
            let answer = match serde_json::from_str::<Asked<'_>>(&line) {
                Ok(Asked { id: Some(id), method }) if method == "tools/call" => {
                    let text = format!(r#"{{"content":[{{"type":"text","text":"{said}"}}]}}"#);
                    Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{text}}}"#))
                }
                _ => server.answer(&line),
            };
            if let Some(answer) = answer {
                out.write_all(format!("{answer}\n").as_bytes())?;
            }
        }
        if is_pouring {
            out.write_all(chunk.as_bytes())?;
            said += kinds.len() * times;
        }
        out.flush()?;
    }
}

fn is_call(line: &str) -> bool {
    serde_json::from_str::<Asked<'_>>(line).is_ok_and(|asked| asked.method == "tools/call")
}
