//! What the tests start: a scripted server, and the reaper above it.

fn main() {
    toolgate_host::init();
    toolgate_testkit::process::main();
}
