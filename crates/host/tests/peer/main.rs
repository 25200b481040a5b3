//! What the tests start: a scripted server, and the reaper above it. With `holding <MiB>` before the
//! script it takes so much memory first.

#![allow(clippy::expect_used, reason = "clippy.toml exempts tests, not what they start")]

fn main() {
    toolgate_sandbox::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["holding", mebibytes, script] = arguments[..] {
        // Written to, so that it is resident, and never given back.
        std::mem::forget(vec![1_u8; mebibytes.parse::<usize>().expect("a number") << 20]);
        toolgate_testkit::process::stdio(serde_json::from_str(script).expect("a script"));
    }
    toolgate_testkit::process::main();
}
