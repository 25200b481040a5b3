//! The pages that tools and their results refer to in `_meta` (MCP Apps), as one audience reaches them:
//! under a URI that leads to the page of the tool's own server, and not at all where the audience may
//! not read it.

use serde_json::value::RawValue;
use toolgate_host::{PAGE_MEMBERS, ToolView, UriClaims};
use toolgate_types::{OperationOutcome, OperationResult, ServerId, TaskReport, TaskState};
use toolgate_wire::{ObjectSplice, RawObject, SpliceValue, meta};

use crate::place::CallerPlace;

/// What came of a call, with the pages that it refers to where its caller reaches them.
pub(crate) fn with_pages(
    outcome: OperationOutcome,
    called: &str,
    place: &CallerPlace,
) -> OperationOutcome {
    outcome.with_result(|result| {
        if !UriClaims::may_have_pages(&result) {
            return result;
        }
        let view = place.served.host.view(&place.audience());
        // What a meta tool called is in a result of its own, with its pages as they are reached.
        match view.resolve(called).and_then(|tool| tool.server()) {
            Some(server) => with_pages_of(result, server, place),
            None => result,
        }
    })
}

/// The same of a result that is known to be this server's.
fn with_pages_of(result: Box<RawValue>, server: &ServerId, place: &CallerPlace) -> Box<RawValue> {
    if !UriClaims::may_have_pages(&result) {
        return result;
    }
    let host = &place.served.host;
    let (view, claims) = (host.view(&place.audience()), host.uri_claims());
    let shown = |uri: &str| view.shows_resource(server, uri);
    claims.result_with_pages(&result, server, shown).unwrap_or(result)
}

/// The same of what is told of a task of this server.
pub(crate) fn report_with_pages(
    TaskReport { id, state, frame }: TaskReport,
    server: &ServerId,
    place: &CallerPlace,
) -> TaskReport {
    let state = match state {
        TaskState::Completed(OperationResult { is_error, result }) => {
            let result = with_pages_of(result, server, place);
            TaskState::Completed(OperationResult { is_error, result })
        }
        state => state,
    };
    TaskReport { id, state, frame }
}

/// Who has which URI, and what the audience sees.
#[derive(Clone, Copy)]
pub(crate) struct AppPages<'a> {
    pub(crate) claims: &'a UriClaims,
    pub(crate) view: &'a ToolView,
}

impl AppPages<'_> {
    /// Whether there may be one in a tool, of which no page may be missed: a key may be spelled with
    /// escapes.
    pub(crate) fn may_be_in_tool(definition: &RawValue) -> bool {
        RawObject::may_have(definition, meta::META)
    }

    /// A tool of this server.
    pub(crate) fn rewrite<'o>(
        &self,
        item: &mut ObjectSplice<'o>,
        read: &'o RawObject<'o>,
        server: &ServerId,
    ) {
        for path in PAGE_MEMBERS {
            self.rewrite_at(item, read, path, server);
        }
    }

    fn rewrite_at<'o>(
        &self,
        item: &mut ObjectSplice<'o>,
        read: &'o RawObject<'o>,
        path: &'static [&'static str],
        server: &ServerId,
    ) {
        let Some((last, above)) = path.split_last() else { return };
        let Some(raw) = read.get(meta::META) else { return };
        let mut object = RawObject::parse(raw).ok();
        for key in above {
            let inner = object.as_ref().and_then(|object| object.get(key));
            object = inner.and_then(|raw| RawObject::parse(raw).ok());
        }
        let Some(uri) = object.as_ref().and_then(|object| object.text(last)) else { return };
        let is_shown = self.view.shows_resource(server, &uri);
        let address = self.claims.public_uri(server, &uri);
        if is_shown && *address == *uri {
            return;
        }
        let address = address.into_owned();
        let mut at = item.within(meta::META);
        for key in above {
            at = at.and_then(|object| object.within(key));
        }
        match at {
            Ok(object) if is_shown => {
                object.set(*last, SpliceValue::text(address));
            }
            Ok(object) => {
                object.remove(*last);
            }
            Err(_) => {}
        }
    }
}
