//! The tools that fit what a model wants, with what it needs to call them: one search is enough.
//!
//! Only what its caller may see is searched, so that what is hidden does not even change the order.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::{ListKind, OperationOutcome};

use super::meta::{beginning, failed, fitting, limits};
use super::structured;
use crate::call::call_trouble::CallTrouble;
use crate::own_tool::MetaScope;
use crate::searched_list::{OwnedTool, SearchedList};
use crate::{Call, CatalogItem, Host, ToolEntry};

/// How many are found where nobody says how many.
const USUALLY: usize = 5;

/// So many characters of schemas come with one search, whatever is found; one that does not fit into what is
/// left of them is a beginning of so many that says so.
const SCHEMAS: usize = 24_000;
const BEGINNING: u64 = 300;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    limit: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToldFind<'a> {
    server_id: &'a str,
    tool_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Cow<'a, RawValue>>,
}

#[derive(Serialize)]
struct FoundTools<'a> {
    tools: Vec<ToldFind<'a>>,
}

pub(super) async fn search_tools(
    host: &Host,
    scope: &MetaScope,
    entry: &ToolEntry,
    call: Call,
) -> Result<OperationOutcome, CallTrouble> {
    let invalid = || format!("Invalid input for {}.", entry.name());
    let fits = entry.check(call.arguments.as_deref()).is_ok();
    let asked = call.arguments.as_deref().filter(|_| fits);
    let asked = asked.and_then(|raw| serde_json::from_str::<SearchArguments>(raw.get()).ok());
    let Some(SearchArguments { query, limit }) = asked else { return failed(invalid()) };
    let mut found = host.found_any(ListKind::Tools, None).await;
    found.retain(|CatalogItem { server, definition }| {
        scope.reaches(server.as_str()).is_some() && scope.admits(server, &definition.key)
    });
    let tools = host.shown_tools(&entry.audience, found);
    let list = scope.searched(|known| match known {
        Some(known) if known.is_of(&tools) => Arc::clone(known),
        _ => Arc::new(SearchedList::of(tools)),
    });
    let past = host.successes(&host.principal(&call.options)).await;
    let mut tools = Vec::new();
    let mut left = SCHEMAS;
    let most = limits(host).description_chars;
    let most_tools = limit.unwrap_or(USUALLY);
    for OwnedTool { server, shown, .. } in list.search(&query, most_tools, &past) {
        tools.push(ToldFind {
            server_id: server.as_str(),
            tool_name: &shown.key,
            description: shown.description.as_deref().map(|text| beginning(text, most)),
            input_schema: shown.input_schema.as_deref().map(|raw| within(raw, &mut left)),
        });
    }
    structured(&FoundTools { tools })
}

/// A schema, if there is room for it among the others.
fn within<'a>(schema: &'a RawValue, left: &mut usize) -> Cow<'a, RawValue> {
    match left.checked_sub(schema.get().len()) {
        Some(rest) => {
            *left = rest;
            Cow::Borrowed(schema)
        }
        None => fitting(schema, Some(BEGINNING)),
    }
}
