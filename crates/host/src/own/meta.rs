//! The way to tools that are not listed: tools that list, describe and call the others. Searching them is
//! beside it.
//!
//! What is filtered out and what does not exist read the same.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::config::MetaSection;
use toolgate_types::{Code, ListKind, OperationOutcome, ServerId, reject_repeated_keys};

use super::structured;
use crate::call::call_trouble::CallTrouble;
use crate::output_schema::OutputSchema;
use crate::own_tool::MetaScope;
use crate::shaping::shown_schema;
use crate::{
    Audience, Call, CallOptions, CallTarget, CatalogItem, Host, ResultReader, ToolEntry,
    UnmadeCall, UriClaims,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MetaToolArguments {
    server_id: String,
    tool_name: Option<String>,
    args: Option<Box<RawValue>>,
    offset: Option<usize>,
    limit: Option<usize>,
}

/// What went wrong, as the answer itself.
#[derive(Serialize)]
struct FailedMetaCall {
    ok: bool,
    error: String,
}

pub(super) fn failed(error: String) -> Result<OperationOutcome, CallTrouble> {
    structured(&FailedMetaCall { ok: false, error })
}

fn asked(entry: &ToolEntry, call: &Call) -> Result<MetaToolArguments, String> {
    let invalid = || format!("Invalid input for {}.", entry.name());
    entry.check(call.arguments.as_deref()).map_err(|_| invalid())?;
    let raw = call.arguments.as_deref().ok_or_else(invalid)?;
    // The wire refuses them too; a program that embeds the host has no wire.
    reject_repeated_keys(raw.get()).map_err(|why| repeated(entry, &why))?;
    serde_json::from_str(raw.get()).map_err(|_| invalid())
}

fn repeated(entry: &ToolEntry, why: &serde_json::Error) -> String {
    format!("Invalid input for {}: {why}.", entry.name())
}

fn not_enabled(server: &str) -> String {
    format!("MCP serverId '{server}' is not enabled for meta-tool access.")
}

fn not_there(server: &ServerId, tool: &str) -> String {
    format!("Tool '{tool}' is not allowed or does not exist on server '{server}'.")
}

pub(super) async fn list_tools(
    host: &Host,
    scope: &MetaScope,
    entry: &ToolEntry,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Serialize)]
    struct Row<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Rows<'a> {
        tools: Vec<Row<'a>>,
        /// Whether these are not all, and where the others begin.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        more: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_offset: Option<usize>,
    }
    let MetaSection { listed_tools, description_chars, .. } = limits(host);
    let asked = match asked(entry, &call) {
        Ok(asked) => asked,
        Err(error) => return failed(error),
    };
    let Some(server) = scope.reaches(&asked.server_id) else {
        return failed(not_enabled(&asked.server_id));
    };
    let found = visible_tools(host, scope, entry, &server).await;
    let offset = asked.offset.unwrap_or(0);
    let most = counted(listed_tools).min(asked.limit.unwrap_or(usize::MAX));
    let mut tools = Vec::new();
    for tool in found.iter().skip(offset).take(most) {
        let description = tool.own_words().map(|text| beginning(text, description_chars));
        tools.push(Row { name: tool.name(), description });
    }
    let end = offset.saturating_add(tools.len());
    let next_offset = (end < found.len()).then_some(end);
    structured(&Rows { tools, more: next_offset.is_some(), next_offset })
}

pub(super) async fn tool_schema(
    host: &Host,
    scope: &MetaScope,
    entry: &ToolEntry,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Schema<'a> {
        ok: bool,
        tool_name: &'a str,
        description: Option<&'a str>,
        input_schema: Option<Cow<'a, RawValue>>,
        output_schema: Option<Cow<'a, RawValue>>,
    }
    let (server, tool) = match target(entry, scope, &call) {
        Ok((server, tool, _)) => (server, tool),
        Err(error) => return failed(error),
    };
    let found = visible_tools(host, scope, entry, &server).await;
    let told = found.iter().find(|found| found.name() == tool);
    let Some((told, definition)) = told.and_then(|told| Some((told, told.definition()?))) else {
        return failed(not_there(&server, &tool));
    };
    let output = OutputSchema::raw(&definition.raw).filter(|_| told.lists_output_schema());
    let input = definition.input_schema.as_deref();
    let shaped = told.shaping().zip(input).and_then(|(shaping, raw)| shown_schema(raw, shaping));
    let MetaSection { description_chars, schema_chars, .. } = limits(host);
    structured(&Schema {
        ok: true,
        tool_name: &tool,
        description: told.own_words().map(|text| beginning(text, description_chars)),
        input_schema: shaped.as_deref().or(input).map(|json| fitting(json, schema_chars)),
        output_schema: output.map(|json| fitting(json, schema_chars)),
    })
}

pub(super) async fn call_tool(
    host: &Host,
    scope: &MetaScope,
    entry: &ToolEntry,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Serialize)]
    struct Called<'a> {
        ok: bool,
        result: Cow<'a, RawValue>,
    }
    let (server, tool, arguments) = match target(entry, scope, &call) {
        Ok(target) => target,
        Err(why) => return failed(unmade(host, &why, call).await),
    };
    let missing = not_there(&server, &tool);
    let own = host.own_tool_name(&server, &tool).filter(|own| scope.admits(&server, own));
    let Some(tool) = own else {
        return failed(unmade(host, &missing, call).await);
    };
    let MetaSection { result_chars, call_timeout, .. } = limits(host);
    let within = [call.options.within, call_timeout].into_iter().flatten().min();
    let reader = inside(host, call.options.reader, result_chars);
    let called = server.clone();
    let target = CallTarget::Exact { audience: (*entry.audience).clone(), server, tool };
    let options = CallOptions { within, reader, ..call.options };
    let inner = Call { target, arguments: arguments.map(Arc::from), options };
    // Boxed, since a call may be of this very tool.
    match Box::pin(host.call(inner)).await {
        Ok(OperationOutcome::Done(done)) => {
            let audience = &entry.audience;
            let result = reached_pages(host, audience, &called, &done.result);
            let result = result.as_deref().unwrap_or(&done.result);
            structured(&Called { ok: true, result: fitting(result, result_chars) })
        }
        Ok(required) => Ok(required),
        Err(error) if error.code == Code::NotFound => failed(missing),
        Err(error) => failed(error.message),
    }
}

/// The result with the pages that it refers to where this audience reaches them, as in a call that needs
/// no meta tool.
fn reached_pages(
    host: &Host,
    audience: &Audience,
    server: &ServerId,
    result: &RawValue,
) -> Option<Box<RawValue>> {
    if !UriClaims::may_have_pages(result) {
        return None;
    }
    let view = host.view(audience);
    host.uri_claims().result_with_pages(result, server, |uri| view.shows_resource(server, uri))
}

/// The call that was meant has a record of its own, though nobody was asked to make it.
async fn unmade(host: &Host, why: &str, call: Call) -> String {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Meant {
        server_id: String,
        tool_name: String,
        args: Option<Box<RawValue>>,
    }
    let meant = call.arguments.as_deref().and_then(|raw| serde_json::from_str(raw.get()).ok());
    let Meant { server_id, tool_name, args } = meant.unwrap_or_default();
    let server = ServerId::parse_reference(&server_id).ok();
    let (server, arguments) = (server.as_ref(), args.as_deref());
    let target = match server {
        Some(_) => tool_name,
        None => format!("{server_id}/{tool_name}"),
    };
    let (word, code) = ("call", Code::NotFound);
    let unmade = UnmadeCall { word, server, target: &target, arguments, code, why };
    host.record_unmade(unmade, &call.options).await.message
}

pub(super) fn limits(host: &Host) -> MetaSection {
    host.rulebook().exposure().meta
}

/// Who reads a result that stands inside another: nobody who could see media, and with room for its text
/// and its structured content together. What does not fit that is kept, and read by its reference.
fn inside(host: &Host, reader: ResultReader, result_chars: Option<u64>) -> ResultReader {
    let usual = reader.result_bytes.unwrap_or(host.limits().result_bytes);
    let room = result_chars.map_or(usual, |most| usual.min(most.saturating_mul(2) / 5));
    ResultReader { takes_media: false, result_bytes: Some(room), takes_length: false }
}

/// As it is, or a beginning that says so.
pub(super) fn fitting(json: &RawValue, most: Option<u64>) -> Cow<'_, RawValue> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Cut<'a> {
        note: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        json_preview: Option<&'a str>,
    }
    let shown = beginning(json.get(), most);
    if shown.len() == json.get().len() {
        return Cow::Borrowed(json);
    }
    let noted = |note, json_preview| serde_json::value::to_raw_value(&Cut { note, json_preview });
    let cut = noted("truncated", Some(shown)).or_else(|_| noted("non-serializable", None));
    Cow::Owned(cut.unwrap_or_default())
}

/// The first so many characters.
pub(super) fn beginning(text: &str, most: Option<u64>) -> &str {
    text.char_indices().nth(counted(most)).map_or(text, |(end, _)| &text[..end])
}

/// Nothing means no limit.
fn counted(most: Option<u64>) -> usize {
    most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
}

type ToolTarget = (ServerId, String, Option<Box<RawValue>>);

fn target(entry: &ToolEntry, scope: &MetaScope, call: &Call) -> Result<ToolTarget, String> {
    let MetaToolArguments { server_id, tool_name, args, .. } = asked(entry, call)?;
    let server = scope.reaches(&server_id).ok_or_else(|| not_enabled(&server_id))?;
    let tool = tool_name.ok_or_else(|| format!("Invalid input for {}.", entry.name()))?;
    Ok((server, tool, args))
}

/// The tools under the names that callers know beside the server's, sorted.
async fn visible_tools(
    host: &Host,
    scope: &MetaScope,
    entry: &ToolEntry,
    server: &ServerId,
) -> Vec<ToolEntry> {
    let mut found = host.found_any(ListKind::Tools, Some(server)).await;
    found.retain(|found| scope.admits(server, &found.definition.key));
    let told = |CatalogItem { definition, .. }: &CatalogItem| {
        host.told_tool(&entry.audience, server, definition)
    };
    let mut told: Vec<_> = found.iter().filter_map(told).collect();
    told.sort_by(|one, other| one.name().cmp(other.name()));
    told
}
