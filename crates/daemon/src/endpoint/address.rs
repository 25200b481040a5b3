//! Where a gateway listens: who may be let in there, under which names, and why it cannot.

use std::net::SocketAddr;

use toolgate_control::CommandFailure;
use toolgate_types::config::{CallerAuth, Config, GatewaySection, HttpEntrance, Profile};

/// Without a token only this machine may call, and in production nobody in words that others can read.
pub(crate) fn refuse_open_door(
    listen: SocketAddr,
    auth: CallerAuth,
    config: &Config,
) -> Result<(), CommandFailure> {
    let is_readable = config.gateway.entrance == HttpEntrance::Plain;
    if config.profile == Profile::ProductionHttp && is_readable {
        let why = "profile `production-http` does not serve what others can read on its way";
        let hint = "set `[gateway.tls]`, or name the proxy in front in `gateway.tls_proxies`";
        return Err(CommandFailure::new(why).hint(hint));
    }
    match auth {
        CallerAuth::Token | CallerAuth::Oauth | CallerAuth::Both => Ok(()),
        CallerAuth::None if listen.ip().is_loopback() => Ok(()),
        CallerAuth::None => Err(CommandFailure::new(format!(
            "`auth = \"none\"` is for loopback only, and {listen} is not"
        ))
        .hint("use tokens: `auth = \"token\"`")),
    }
}

/// The address itself is a name of the gateway, where it is one in particular, and so is the host of the
/// URL that clients know.
pub(super) fn allowed_hosts(listen: SocketAddr, config: &GatewaySection) -> Vec<String> {
    let mut hosts = config.allowed_hosts.clone();
    hosts.extend(config.public_url.as_ref().and_then(|url| {
        let (host, port) = (url.url().host_str()?, url.url().port());
        Some(port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }));
    if !listen.ip().is_unspecified() {
        hosts.push(listen.to_string());
    }
    hosts
}

pub(super) fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> CommandFailure {
    let failure = CommandFailure::new(format!("cannot listen on {listen}: {error}"));
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            failure.hint("is `toolgate serve` running already? choose another with --listen")
        }
        _ => failure,
    }
}
