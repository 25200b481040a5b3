//! What an approval is for: exactly this operation, of this tool as it is defined now, for this
//! caller, under this policy. One byte of any of them changed, and it is another subject.

use sha2::{Digest as _, Sha256};
use toolgate_types::{Caller, Digest, Operation};

use super::canonical::{self, AmbiguousJson};

/// Everything around an operation that an approval holds for.
#[derive(Debug, Clone)]
pub struct ApprovalSubject<'a> {
    pub server: &'a str,
    /// The hash of the definition that would be called, and of the entry of its server.
    pub definition: Digest,
    pub caller: Option<&'a Caller>,
    /// The part of the configuration that the caller sees.
    pub address: Vec<&'a str>,
    pub policy: Option<Digest>,
    /// Of a command tool, the name of exactly what would run: arguments, folder, variables.
    pub command: Option<Digest>,
}

impl ApprovalSubject<'_> {
    /// The name of the whole.
    pub fn digest(&self, operation: &Operation) -> Result<Digest, AmbiguousJson> {
        let Self { server, definition, caller, address, policy, command } = self;
        let mut hash = Sha256::new();
        let mut bytes = |bytes: &[u8]| {
            hash.update(bytes.len().to_le_bytes());
            hash.update(bytes);
        };
        let mut text = |text: &str| bytes(text.as_bytes());
        text("toolgate approval 3");
        text(server);
        text(operation.word());
        text(operation.target().unwrap_or_default());
        // How many there are, so that no part of it reads like what comes next.
        text(&address.len().to_string());
        address.iter().for_each(|part| text(part));
        if let Some(Caller { principal, session, workspace, client, era, .. }) = caller {
            text(principal.as_str());
            // A name is never empty, so nothing reads like something.
            text(session.as_ref().map_or("", |session| &session.0));
            text(client.as_deref().unwrap_or_default());
            text(era.map_or("", |era| era.as_str()));
            // Two folders whose names are no text are two.
            bytes(workspace.as_os_str().as_encoded_bytes());
        }
        hash.update(definition.0);
        hash.update(policy.map_or([0; 32], |policy| policy.0));
        hash.update(command.map_or([0; 32], |command| command.0));
        if let Operation::CallTool { arguments: Some(arguments), .. } = operation {
            canonical::write(arguments, &mut hash)?;
        }
        Ok(Digest(hash.finalize().into()))
    }
}
