//! What the tests start: a server that plays the script in the file it is given.

#![allow(clippy::unwrap_used, reason = "test program")]

fn main() {
    let file = std::env::args_os().nth(1).unwrap();
    let script = std::fs::read_to_string(file).unwrap();
    toolgate_testkit::process::stdio(serde_json::from_str(&script).unwrap());
}
