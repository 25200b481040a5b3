//! Has the daemon that runs listen on one more address, and stays for as long as that is wanted.

use std::cell::RefCell;
use std::net::SocketAddr;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_control::{
    CommandEnd, CommandExit, CommandFailure, ControlClient, ControlReply, ConversationPartner,
    ENDPOINT_OPENED, EndpointEnd, EndpointOpened, EndpointRequest, OPEN_ENDPOINT, Standpoint,
};

use crate::endpoint::EndpointChoice;
use crate::signals::stopped_by_signal;
use crate::threads::runtime;

/// Until a signal, or the daemon's end.
pub(super) fn serve_beside<C>(
    daemon: ControlClient,
    choice: EndpointChoice,
    standpoint: Standpoint,
    console: &mut C,
    greet: impl FnOnce(SocketAddr, &mut C),
) -> CommandEnd {
    let wish = EndpointRequest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        standpoint,
        listen: choice.listen,
        auth: choice.auth.as_str().to_owned(),
        naming: choice.naming.as_str().to_owned(),
    };
    let wish = to_raw_value(&wish).map_err(CommandFailure::new)?;
    let waiting = EndpointKeeper(RefCell::new(Some((greet, console))));
    let runtime = runtime()?;
    let (replied, is_stopped) = runtime.block_on(async {
        let stop = stopped_by_signal();
        let replied = daemon.converse(OPEN_ENDPOINT, &wish, &waiting, &stop).await;
        (replied, stop.is_cancelled())
    });
    runtime.shutdown_background();
    // The port closed with the first word of that; whoever still has an answer to come gets it.
    if is_stopped {
        return Ok(CommandExit::Ok);
    }
    match replied? {
        ControlReply::Result(end) => match serde_json::from_str(end.get()) {
            Ok(EndpointEnd::Closed) => Ok(CommandExit::Ok),
            Ok(EndpointEnd::NotOpened(failure)) => Err(failure),
            Err(error) => Err(not_understood(&error.to_string())),
        },
        ControlReply::NotUnderstood(why) => Err(not_understood(&why)),
        ControlReply::Failed(why) => Err(CommandFailure::new(why)),
    }
}

fn not_understood(why: &str) -> CommandFailure {
    CommandFailure::new(format!("the daemon that runs cannot serve this: {why}"))
        .hint("`toolgate status` shows who uses it, `toolgate stop` ends it")
}

/// Greets once, when it can be called.
struct EndpointKeeper<G, C>(RefCell<Option<(G, C)>>);

impl<G: FnOnce(SocketAddr, &mut C), C> ConversationPartner for EndpointKeeper<G, &mut C> {
    fn told(&self, method: &str, params: &RawValue) {
        if method != ENDPOINT_OPENED {
            return;
        }
        let opened = serde_json::from_str(params.get());
        if let (Ok(EndpointOpened { address }), Some((greet, console))) = (opened, self.0.take()) {
            greet(address, console);
        }
    }

    fn asked(
        &self,
        _: &str,
        _: &RawValue,
    ) -> impl Future<Output = Option<Box<RawValue>>> + 'static {
        std::future::ready(None)
    }
}
