//! `toolgate add`: one server into one file, from options or from the short forms people type.

use serde_json::{Map, Value};
use toolgate_assembly::literal_credentials_of;
use toolgate_config::change::{ChangeError, EditOutcome, EditTarget, ServerChange, change_server};
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{EditScope, Problems, Severity, format_of, take_out_credentials};
use toolgate_daemon::unknown_name;
use toolgate_terminal::CommandOutput;
use toolgate_types::config::ApprovalMode;
use toolgate_types::{ServerId, Trust, visible};

use crate::args::{AddArgs, ApprovalWord, OauthArgs, ScopeArg, TransportWord, TrustWord};
use crate::auto_offer::accepts_auto;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

type Object = Map<String, Value>;

pub(crate) fn run(
    mut arguments: AddArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let placing = EntryPlacing {
        id: arguments.id.clone(),
        scope: arguments.scope,
        replace: arguments.replace,
        trust: arguments.trust.map(|trust| match trust {
            TrustWord::Trusted => Trust::Trusted,
            TrustWord::Untrusted => Trust::Untrusted,
        }),
    };
    let is_offered = arguments.approval.is_none() && arguments.trust != Some(TrustWord::Untrusted);
    if is_offered && accepts_auto("its tools", output) {
        arguments.approval = Some(ApprovalWord::Auto);
    }
    placing.place(entry_of(arguments)?, surroundings, output)
}

/// The typed options as an entry in native keys.
fn entry_of(arguments: AddArgs) -> Result<Object, CliFailure> {
    let AddArgs { address, transport, url, headers, bearer_token_env, oauth, .. } = arguments;
    let AddArgs { command, mut args, cwd, env, enabled, request_timeout_ms, approval, .. } =
        arguments;
    if let Some(address) = &address
        && !address.contains("://")
    {
        let shown = visible(address);
        return Err(CliFailure::usage(format!("`{shown}` is not a URL"))
            .hint("put a local server's command after `--`: toolgate add <id> -- cmd args…"));
    }
    let mut command_line = arguments.command_line.into_iter();
    let command = command.or_else(|| command_line.next());
    args.extend(command_line);
    if let Some(command) = &command
        && command.contains("://")
    {
        return Err(CliFailure::usage("a URL stands where a command was expected")
            .hint("add a remote server with: toolgate add <id> <url>"));
    }
    let url = url.or(address);
    let word = match (transport, &url, &command) {
        (Some(TransportWord::Http), ..) => Some("http"),
        (Some(TransportWord::Sse), ..) => Some("sse"),
        (Some(TransportWord::Stdio), ..) | (None, None, Some(_)) => Some("stdio"),
        // A bare URL is tried as Streamable HTTP first and as SSE after.
        (None, Some(_), None) => None,
        (None, Some(_), Some(_)) => {
            return Err(CliFailure::usage("a server has a URL or a command, not both"));
        }
        (None, None, None) => {
            return Err(CliFailure::usage("neither a URL nor a command was given")
                .hint("toolgate add <id> <url>, or toolgate add <id> -- cmd args…"));
        }
    };
    let mut entry = Object::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            entry.insert(key.to_owned(), value);
        }
    };
    put("transport", word.map(Value::from));
    put("url", url.map(Value::from));
    put("headers", pairs("--header", &['=', ':'], headers)?);
    put("bearer_token_env", bearer_token_env.map(Value::from));
    put("oauth", oauth_of(oauth));
    put("command", command.map(Value::from));
    put("args", (!args.is_empty()).then(|| Value::from(args)));
    put("cwd", cwd.map(Value::from));
    put("env", pairs("--env", &['='], env)?);
    put("enabled", enabled.map(Value::from));
    put("request_timeout_ms", request_timeout_ms.map(Value::from));
    let approval = approval.map(|word| match word {
        ApprovalWord::Prompt => ApprovalMode::Prompt,
        ApprovalWord::Auto => ApprovalMode::Auto,
        ApprovalWord::Approve => ApprovalMode::Approve,
    });
    put("approval", approval.map(|mode| mode.as_str().into()));
    Ok(entry)
}

fn pairs(option: &str, marks: &[char], written: Vec<String>) -> Result<Option<Value>, CliFailure> {
    let mut table = Object::new();
    for pair in written {
        // The value may be a secret and is not repeated.
        let (key, value) = pair
            .split_once(marks)
            .filter(|(key, _)| !key.trim().is_empty())
            .ok_or_else(|| CliFailure::usage(format!("{option} wants KEY=VALUE")))?;
        if table.insert(key.trim().to_owned(), value.trim_start().into()).is_some() {
            let key = visible(key);
            return Err(CliFailure::usage(format!("{option} {key} is given twice")));
        }
    }
    Ok((!table.is_empty()).then_some(Value::Object(table)))
}

fn oauth_of(oauth: OauthArgs) -> Option<Value> {
    let OauthArgs {
        authorization_url,
        token_url,
        registration_url,
        client_id,
        client_secret,
        scope,
    } = oauth;
    let fields = [
        ("authorization_url", authorization_url),
        ("token_url", token_url),
        ("registration_url", registration_url),
        ("client_id", client_id),
        ("client_secret", client_secret),
        ("scope", scope),
    ];
    let given = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
    let table: Object = given.collect();
    (!table.is_empty()).then_some(Value::Object(table))
}

/// Where a new entry goes, and how it is believed.
pub(crate) struct EntryPlacing {
    pub(crate) id: String,
    pub(crate) scope: EditScope,
    pub(crate) replace: bool,
    pub(crate) trust: Option<Trust>,
}

impl EntryPlacing {
    pub(crate) fn place(
        &self,
        mut entry: Object,
        surroundings: &Surroundings,
        output: &mut CommandOutput,
    ) -> CommandResult {
        let id = visible(&self.id);
        if let Err(error) = ServerId::parse(&self.id) {
            return Err(CliFailure::new(format!("`{id}` is not a server id: {error}")));
        }
        // A project's file cannot vouch for itself, so nothing is written there.
        if let (EditScope::Global, Some(trust)) = (self.scope, self.trust) {
            entry.insert("trust".into(), trust.as_str().into());
        }
        // What goes into a project's file others get with the project.
        let taken = match self.scope {
            EditScope::Project => take_out_credentials(&self.id, &mut entry),
            EditScope::Global => Vec::new(),
        };
        let is_expanded = |value: &Value| value.to_string().contains("${");
        let file = surroundings.file_of(self.scope)?.path;
        if !taken.is_empty()
            && entry.values().any(is_expanded)
            && format_of(&file) == ConfigFormat::Json
        {
            let file = surroundings.shown(&file);
            return Err(CliFailure::new(format!(
                "a credential stands in it, which does not go into {file}, a file of the project"
            ))
            .hint("use --scope global; or name a variable: --bearer-token-env NAME"));
        }
        let surroundings = &surroundings.with_credentials(&taken);
        let change = ServerChange::Put { entry, replace: self.replace };
        let changed = edit(&self.id, self.scope, &change, surroundings)?;
        let (word, to) =
            if changed.before.is_some() { ("replaced", "in") } else { ("added", "to") };
        let scope = self.scope.as_str();
        let file = surroundings.shown(&changed.edited.path);
        for warning in changed.warnings.iter().filter(|p| p.severity == Severity::Warning) {
            output.warning_lines(&super::config::shown(warning));
        }
        let written = surroundings.load(self.scope.into()).config.servers;
        let credentials = written.get(self.id.as_str()).map(literal_credentials_of);
        for problem in credentials.into_iter().flatten() {
            output.warning_lines(&super::config::shown(&problem));
        }
        let mut said = Object::new();
        said.insert(word.into(), self.id.as_str().into());
        said.insert("scope".into(), scope.into());
        said.insert("file".into(), changed.edited.path.display().to_string().into());
        output.note(format!("{word} server {id} {to} {file} ({scope} scope)"));
        if changed.before.is_none() {
            output.note(format!("undo with: toolgate remove {id} --scope {scope}"));
        }
        for one in &taken {
            output.warning(one.how_to_give_it());
        }
        if !taken.is_empty() {
            output.note("or keep it in your own file: the same with --scope global");
        }
        let pending = self.scope == EditScope::Project && !self.accept(surroundings, output)?;
        if output.json {
            said.insert("pending".into(), pending.into());
            output.document(said);
        }
        Ok(Exit::Ok)
    }

    /// What a person typed at a terminal, they accept; anything else stays pending.
    fn accept(
        &self,
        surroundings: &Surroundings,
        output: &mut CommandOutput,
    ) -> Result<bool, CliFailure> {
        let trust = self.trust.unwrap_or(Trust::Trusted);
        let accepted = trust_standing::accept_typed(surroundings, &self.id, trust, output)?;
        output.note(match accepted {
            true => format!("accepted as {}, since you typed it here", trust.as_str()),
            false => "it is pending until you accept it with: toolgate trust".to_owned(),
        });
        Ok(accepted)
    }
}

/// Changes one server in the file of a scope, with the sentences that every editing verb shares.
pub(crate) fn edit(
    id: &str,
    scope: EditScope,
    change: &ServerChange,
    surroundings: &Surroundings,
) -> Result<EditOutcome, CliFailure> {
    let file = surroundings.file_of(scope)?;
    let lock_folder = surroundings.lock_folder()?;
    let (layer, variables) = (scope.layer(), &surroundings.variables);
    let secrets = surroundings.secrets();
    let (secrets, lock_folder) = (secrets.as_deref(), &*lock_folder);
    let target = EditTarget { file: &file, layer, variables, secrets, lock_folder };
    change_server(target, id, change).map_err(|error| explain(&error, id, scope, surroundings))
}

fn explain(
    error: &ChangeError,
    id: &str,
    scope: EditScope,
    surroundings: &Surroundings,
) -> CliFailure {
    let (id, scope_word) = (visible(id), scope.as_str());
    match error {
        ChangeError::Exists => {
            CliFailure::new(format!("server already exists in {scope_word} scope: {id}"))
                .hint("pass --replace to overwrite")
        }
        ChangeError::Missing => {
            let other = match scope {
                EditScope::Project => EditScope::Global,
                EditScope::Global => EditScope::Project,
            };
            let there = surroundings.load(other.into()).config.servers.contains_key(id.as_str());
            let known = surroundings.load(ScopeArg::Effective).config.servers;
            let message = format!("no server in {scope_word} scope");
            let known = known.keys().map(ServerId::as_str);
            let failure = CliFailure::from(unknown_name(&message, &id, known, "toolgate list"));
            match there {
                true => {
                    let other = other.as_str();
                    failure.hint(format!("it is defined in {other} scope: pass --scope {other}"))
                }
                false => failure,
            }
        }
        ChangeError::Invalid(Problems(problems)) => {
            let problems: Vec<String> = problems.iter().map(super::config::shown).collect();
            CliFailure::new(format!("nothing was written\n{}", problems.join("\n")))
        }
        ChangeError::Unsayable(error) => {
            CliFailure::new(error).hint("use the other scope, or a file in Toolgate's own shape")
        }
        ChangeError::Edit(error) => CliFailure::new(error),
        ChangeError::File(error) => CliFailure::new(error),
    }
}
