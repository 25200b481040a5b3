//! The program that the tests start: it plays one part, named by its first argument.
//!
//! It is also a program that embeds the crate, for the parts in which the parent is killed or
//! counts what it has open. It judges nothing; the tests do.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a part that fails ends loudly")]

mod embedding;
mod facts;
mod family;
mod letting_go;
mod manners;

use std::io::Write as _;

fn main() {
    toolgate_sandbox::init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["environment"] => facts::environment(),
        ["descriptors"] => facts::descriptors(),
        ["status"] => facts::status(),
        ["say", words @ ..] => say(&words.join("|")),
        ["complain", words] => eprintln!("{words}"),
        ["exit", code] => std::process::exit(code.parse().unwrap()),
        ["die", signal] => manners::die(signal.parse().unwrap()),
        ["stay"] => {
            say("ready");
            stay();
        }
        ["manners", obeyed @ ..] => manners::act(obeyed),
        ["escape"] => family::escape(),
        ["hop"] => family::hop(),
        ["siblings"] => family::siblings(),
        ["flood", count] => family::flood(count.parse().unwrap()),
        ["embed", count, part @ ..] => embedding::start(count.parse().unwrap(), part),
        ["let-go", part @ ..] => letting_go::let_go(part),
        ["let-go-complaining", file, part @ ..] => letting_go::let_go_complaining(file, part),
        ["fail-to-let-go", program] => letting_go::fail_to_let_go(program),
        ["cycles", count] => embedding::cycles(count.parse().unwrap()),
        part => unreachable!("no such part: {part:?}"),
    }
}

/// Written through at once, since the reader waits for it.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

fn stay() -> ! {
    loop {
        std::thread::park();
    }
}
