//! What the tests start: a scripted server, and the reaper above it.

fn main() {
    toolgate_sandbox::init();
    toolgate_testkit::process::main();
}
