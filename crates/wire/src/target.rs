//! What a request is about: the tool, prompt, resource or task that its parameters name.
//!
//! Routing and the header `Mcp-Name` both ask this, and must get one answer. Whether there is such
//! a tool is for others.

use std::borrow::Cow;

use thiserror::Error;

use crate::object::text_of;
use crate::{RawObject, Request, method};

/// The member of `params` that names what a request is about, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTarget<'a> {
    pub field: &'static str,
    pub value: Cow<'a, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TargetError {
    #[error("`params.{field}` is missing")]
    Missing { field: &'static str },
    #[error("`params.{field}` must be a string")]
    NotText { field: &'static str },
    #[error("`{key}` differs only in case from a parameter of this method")]
    CaseVariant { key: String },
}

/// The member of `params` that names what this method is about; `None` for all other methods.
pub fn target_field(method: &str) -> Option<&'static str> {
    match method {
        method::TOOLS_CALL | method::PROMPTS_GET => Some("name"),
        method::RESOURCES_READ => Some("uri"),
        // From the extension `io.modelcontextprotocol/tasks`.
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => Some("taskId"),
        _ => None,
    }
}

impl<'a> RequestTarget<'a> {
    /// `None` if the method is about nothing in particular. The parameters go on to a server as
    /// they are, and one that ignores case must not find another name in them than we do.
    pub fn of(request: &Request<'a>) -> Result<Option<Self>, TargetError> {
        let Some(field) = target_field(&request.method) else { return Ok(None) };
        let params = request.params.as_ref().ok_or(TargetError::Missing { field })?;
        refuse_case_variants(params, field)?;
        let value = params.get(field).ok_or(TargetError::Missing { field })?;
        let value = text_of(value).ok_or(TargetError::NotText { field })?;
        Ok(Some(Self { field, value }))
    }
}

fn refuse_case_variants(params: &RawObject<'_>, field: &'static str) -> Result<(), TargetError> {
    let known = [field, "arguments", "_meta", "inputResponses", "requestState"];
    match params.case_variant_of(&known) {
        Some(key) => Err(TargetError::CaseVariant { key }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
