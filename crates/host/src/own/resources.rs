//! Reading resources as tools.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::{
    CallError, Code, ListKind, OperationOutcome, OperationResult, ServerId, split_uri_of_server,
};

use super::{OwnTool, done, listed};
use crate::artifact::is_artifact;
use crate::call::call_trouble::CallTrouble;
use crate::{Call, Host};

#[derive(Deserialize, Default)]
struct ReadResourceArguments {
    server: Option<String>,
    uri: Option<String>,
}

pub(super) async fn run(
    host: &Host,
    tool: &OwnTool,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    let unfit = |why: &str| CallTrouble::Arguments(why.to_owned());
    let arguments = match call.arguments.as_deref() {
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|_| unfit("they are not what the schema says"))?,
        None => ReadResourceArguments::default(),
    };
    let unknown = |name: &str| CallTrouble::NotFound(name.to_owned());
    let server = match &arguments.server {
        Some(name) => Some(ServerId::parse(name).map_err(|_| unknown(name))?),
        None => None,
    };
    let kind = match tool {
        OwnTool::ListResourceTemplates => ListKind::ResourceTemplates,
        OwnTool::ReadResource => {
            if let Some(uri) = arguments.uri.as_deref().filter(|uri| is_artifact(uri)) {
                let read = host.read_own_resource(uri, call.options.clone()).await;
                // A server may be a gate too, and have kept something itself.
                if server.is_none() || !is_absent(&read) {
                    return embedded(read.map_err(|error| CallTrouble::Inner(Box::new(error)))?);
                }
            }
            // The address of a server's URI says whose it is.
            let own = arguments.uri.as_deref().and_then(split_uri_of_server);
            if let Some((owner, uri)) = own
                && server.as_ref().is_none_or(|server| *server == owner)
            {
                return read(host, &owner, uri, call).await;
            }
            let (Some(server), Some(uri)) = (server, arguments.uri) else {
                return Err(unfit("`server` and `uri` are needed"));
            };
            return read(host, &server, &uri, call).await;
        }
        _ => ListKind::Resources,
    };
    listed("resources", &host.found(&call.options.address, kind, server.as_ref()).await)
}

async fn read(
    host: &Host,
    server: &ServerId,
    uri: &str,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    let outcome = host.read_resource(server, uri, call.options).await;
    embedded(outcome.map_err(|error| CallTrouble::Inner(Box::new(error)))?)
}

fn is_absent(read: &Result<OperationOutcome, CallError>) -> bool {
    matches!(read, Err(CallError { code: Code::NotFound, .. }))
}

/// The contents of a resource, as the content of a tool's result.
fn embedded(outcome: OperationOutcome) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Deserialize)]
    struct Contents<'a> {
        #[serde(borrow)]
        contents: Vec<&'a RawValue>,
    }
    #[derive(Serialize)]
    struct Embedded<'a> {
        r#type: &'a str,
        resource: &'a RawValue,
    }
    #[derive(Serialize)]
    struct Read<'a> {
        content: Vec<Embedded<'a>>,
    }
    let result = match outcome {
        OperationOutcome::Done(OperationResult { result, .. }) => result,
        // Begun by somebody who takes such, and fetched by somebody who does not.
        OperationOutcome::DoneAtLength(_) => return Err(CallTrouble::Unreadable),
        required => return Ok(required),
    };
    let Contents { contents } =
        serde_json::from_str(result.get()).map_err(|_| CallTrouble::Unreadable)?;
    let embed = |resource| Embedded { r#type: "resource", resource };
    done(&Read { content: contents.into_iter().map(embed).collect() })
}
