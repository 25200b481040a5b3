//! A script played by a process, on its standard streams or at a port.
//!
//! Cargo builds no binary of one package for the tests of another, so whoever needs the process has
//! an example whose `main` calls [`main`].

use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::Script;
use crate::peer::{Stage, play};
use crate::web::WebManners;

/// Plays the script that is the first argument, then ends the process.
pub fn main() -> ! {
    let argument = std::env::args().nth(1).expect("a script as the first argument");
    stdio(serde_json::from_str(&argument).expect("a script"))
}

/// Plays a script on standard input and output, then ends the process.
pub fn stdio(script: Script) -> ! {
    // Dropping it would wait for the thread that reads standard input.
    let runtime = runtime();
    let code = runtime.block_on(async {
        let stage = Stage::new(script);
        if stage.script().manners.ignores_term {
            let mut terms = signal(SignalKind::terminate()).expect("a signal handler");
            let stage = Arc::clone(&stage);
            tokio::spawn(async move {
                while terms.recv().await.is_some() {
                    stage.complain("SIGTERM").await;
                }
            });
        }
        play(stage, tokio::io::stdin(), tokio::io::stdout()).await
    });
    std::process::exit(code)
}

/// Plays a script at `http://127.0.0.1:<port>/mcp` until the process is ended.
pub fn site(script: Script, port: u16, manners: WebManners) -> ! {
    runtime().block_on(async {
        let _site = script.over_http_at(port, manners).await;
        std::future::pending().await
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}
