//! The server of the conformance suite as a program: `everything legacy|modern|both [PORT]`. With a port
//! it is at `http://127.0.0.1:PORT/mcp`, without one on its standard streams.

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{everything, process};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let script = match arguments.next().as_deref() {
        Some("legacy") => everything::legacy(),
        Some("modern") => everything::modern(),
        Some("both") => everything::both(),
        _ => std::process::exit(64),
    };
    match arguments.next().and_then(|port| port.parse().ok()) {
        Some(port) => process::site(script, port, WebManners::default()),
        None => process::stdio(script),
    }
}
