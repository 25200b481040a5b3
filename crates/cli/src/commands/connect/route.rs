//! How a client is to reach the gate: by starting this program, or at the address of the gate that runs,
//! with a token.

use std::io::Read as _;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::SystemTime;

use toolgate_config::EditScope;
use toolgate_config::clients::ClientRoute;
use toolgate_control::ControlClient;
use toolgate_store::{ProjectRoot, Workspaces as _};
use toolgate_terminal::{CommandOutput, can_ask, confirm};
use toolgate_types::config::{CallerAuth, GatewaySection};
use toolgate_types::{Endpoint, Secret, since_1970};

use crate::args::{ConnectArgs, ScopeArg};
use crate::failure::CliFailure;
use crate::surroundings::{Surroundings, wait};

/// What a token in a project's file means.
const TOKEN_IN_PROJECT: &str =
    "the token goes as plain text into a file of this project: whoever gets the project gets it";

/// The route; `None` where the person does not want the token to go there.
pub(super) fn route(
    arguments: &ConnectArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Option<ClientRoute>, CliFailure> {
    let Some(url) = &arguments.http else {
        let executable = std::env::current_exe().map_err(|error| {
            CliFailure::new(format!("cannot tell where this program is: {error}"))
        })?;
        return Ok(Some(ClientRoute::Stdio { executable }));
    };
    let gateway = surroundings.load(ScopeArg::Effective).config.gateway;
    let token = match (&arguments.token_file, url, gateway.auth) {
        // The gate that is configured here would refuse one of ours; its clients log in by themselves.
        (None, None, CallerAuth::Oauth) => None,
        _ => Some(token(arguments, surroundings)?),
    };
    let holds_token = token.is_some() && arguments.scope == EditScope::Project;
    if holds_token && !may_hold_token(arguments, output)? {
        return Ok(None);
    }
    let url = match url {
        Some(url) => url.clone(),
        None => own_address(arguments, surroundings, &gateway)?,
    };
    Ok(Some(ClientRoute::Http { url, token }))
}

/// A person decides whether a token may stand where others read it.
fn may_hold_token(arguments: &ConnectArgs, output: &mut CommandOutput) -> Result<bool, CliFailure> {
    if arguments.dry_run || arguments.yes {
        output.warning(TOKEN_IN_PROJECT);
        return Ok(true);
    }
    match can_ask() {
        true => Ok(confirm(&format!("{TOKEN_IN_PROJECT}. Write it there?"))),
        false => Err(CliFailure::new(TOKEN_IN_PROJECT)
            .hint("nothing was written; pass --yes to have it there, or use --scope global")),
    }
}

fn token(arguments: &ConnectArgs, surroundings: &Surroundings) -> Result<Secret, CliFailure> {
    let own = || Ok::<_, CliFailure>(surroundings.state_folder()?.join("tokens/default"));
    let file = arguments.token_file.clone().map_or_else(own, Ok)?;
    match (&arguments.token_file, file.exists()) {
        (None, false) => Err(CliFailure::new("there is no token yet")
            .hint("`toolgate serve` makes one; or name a file with --token-file")),
        _ => read_token(&file),
    }
}

fn read_token(file: &Path) -> Result<Secret, CliFailure> {
    let mut text = String::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_string(&mut text),
        _ => std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text)),
    };
    read.map_err(|error| CliFailure::new(format!("cannot read the token: {error}")))?;
    let token = text.trim().to_owned();
    if token.is_empty() || token.contains(char::is_whitespace) {
        return Err(CliFailure::new("the token file does not hold one token"));
    }
    Ok(Secret::new(token))
}

/// Of the gate as its clients are to reach it, or that runs, or of the configuration. A project's file
/// names this folder's place there; the person's own, which counts everywhere, the folder that the gate was
/// started in.
fn own_address(
    arguments: &ConnectArgs,
    surroundings: &Surroundings,
    gateway: &GatewaySection,
) -> Result<String, CliFailure> {
    let gate = match &gateway.public_url {
        Some(url) => public_address(url),
        None => gate_address(surroundings, gateway)?,
    };
    if arguments.scope == EditScope::Global {
        return Ok(format!("{gate}/mcp"));
    }
    let root = ProjectRoot::of(&surroundings.cwd)
        .map_err(|error| CliFailure::new(format!("cannot tell what this folder is: {error}")))?;
    if arguments.dry_run {
        return Ok(format!("{gate}/w/(a name for this folder)/mcp"));
    }
    let store = surroundings.store()?;
    let id = wait(store.keep_workspace(&root, since_1970(SystemTime::now())))?;
    Ok(format!("{gate}/w/{}/mcp", id.as_str()))
}

/// Everything before the path of an address at the gate. Who wants its resource to be exactly what is called
/// has written that path already.
fn public_address(url: &Endpoint) -> String {
    let written = url.original().expose().trim().trim_end_matches('/');
    written.strip_suffix("/mcp").unwrap_or(written).to_owned()
}

/// Scheme, host and port.
fn gate_address(
    surroundings: &Surroundings,
    gateway: &GatewaySection,
) -> Result<String, CliFailure> {
    let configured = (gateway.entrance.scheme(), gateway.listen);
    let daemon = ControlClient::find(&surroundings.variables).ok().flatten();
    let info = daemon.and_then(|daemon| daemon.info().ok());
    let running: Vec<(&str, SocketAddr)> =
        info.iter().flat_map(|info| &info.endpoints).filter_map(|url| address_of(url)).collect();
    let (scheme, address) = match running.first() {
        Some(_) if running.contains(&configured) => configured,
        Some(first) => *first,
        None if gateway.listen.port() == 0 => {
            return Err(CliFailure::new("no gate runs, and `gateway.listen` names no port")
                .hint("start `toolgate serve` first, or give an address: --http URL"));
        }
        None => configured,
    };
    // Who listens everywhere is called at home.
    let address = match address.ip().is_unspecified() {
        true if address.is_ipv4() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        true => (Ipv6Addr::LOCALHOST, address.port()).into(),
        false => address,
    };
    Ok(format!("{scheme}://{address}"))
}

fn address_of(endpoint: &str) -> Option<(&str, SocketAddr)> {
    let (scheme, rest) = endpoint.split_once("://")?;
    Some((scheme, rest.strip_suffix("/mcp")?.parse().ok()?))
}
