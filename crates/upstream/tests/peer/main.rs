//! What the tests start: a scripted server or one made with the official SDK (`foreign legacy`,
//! `foreign both`), somebody who uses a login (`renewing`), and the reaper above it.

mod renewing;

use toolgate_testkit::foreign::{self, Eras};

fn main() {
    toolgate_sandbox::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["foreign", "legacy"] => foreign::stdio(Eras::Legacy),
        ["renewing", folder, url] => renewing::main(folder, url),
        ["foreign", "both"] => foreign::stdio(Eras::Both),
        _ => toolgate_testkit::process::main(),
    }
}
