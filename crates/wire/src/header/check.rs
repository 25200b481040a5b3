//! What a server must check: the headers of a modern request say what its body says.
//!
//! Something on the way may have decided by a header, so a header that says otherwise, twice, or
//! not at all where it must is refused. Headers nobody asked for are left alone.

use thiserror::Error;

use super::annotation::ParamHeaders;
use super::send::arguments;
use super::value::{decode_value, plain_value};
use super::{METHOD, NAME, PROTOCOL_VERSION};
use crate::meta::RequestMeta;
use crate::target::target_field;
use crate::{ErrorCode, Message, RawObject, method};

/// The header of one name, as often as it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderField<'h> {
    Absent,
    Once(&'h [u8]),
    /// Two readers may pick different ones.
    Repeated,
}

impl<'h> HeaderField<'h> {
    pub fn from_values(values: impl IntoIterator<Item = &'h [u8]>) -> Self {
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (None, _) => Self::Absent,
            (Some(value), None) => Self::Once(value),
            (Some(_), Some(_)) => Self::Repeated,
        }
    }

    /// From a list of headers; names are compared without regard to case.
    pub fn among<N: AsRef<str>, V: AsRef<[u8]>>(headers: &'h [(N, V)], name: &str) -> Self {
        let named = headers.iter().filter(|(other, _)| other.as_ref().eq_ignore_ascii_case(name));
        Self::from_values(named.map(|(_, value)| value.as_ref()))
    }
}

/// Headers and body disagree: HTTP status 400 and [`HeaderMismatch::CODE`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderMismatch {
    #[error("the header {header} is missing")]
    Missing { header: String },
    #[error("the header {header} is there more than once")]
    Repeated { header: String },
    #[error("the header {header} cannot be read")]
    Malformed { header: String },
    #[error("the header {header} does not match the body")]
    Differs { header: String },
}

impl HeaderMismatch {
    pub const CODE: ErrorCode = ErrorCode::HEADER_MISMATCH;
}

/// Checks the headers of a message that claims to be of the modern era. `field` looks a header up
/// by name, without regard to case; `annotated` are those of the tool that is called.
///
/// For notifications the protocol defines no headers; what is there must match all the same. That
/// the body says which revision it is of is not checked here, but by [`RequestMeta::modern`].
pub fn check_headers<'h>(
    field: impl Fn(&str) -> HeaderField<'h>,
    message: &Message<'_>,
    annotated: &ParamHeaders,
) -> Result<(), HeaderMismatch> {
    let params = match message {
        Message::Request(request) => request.params.as_ref(),
        Message::Notification(notification) => notification.params.as_ref(),
        Message::Response(_) => return Ok(()),
    };
    // A body without a version is refused for that, with a code of its own: see `RequestMeta::modern`.
    let version = RequestMeta::of(params).ok().and_then(|meta| meta.protocol_version);
    check_headers_of_version(field, message, version.as_deref(), annotated)
}

/// The same where it was read already which version the body says that it is of.
pub fn check_headers_of_version<'h>(
    field: impl Fn(&str) -> HeaderField<'h>,
    message: &Message<'_>,
    version: Option<&str>,
    annotated: &ParamHeaders,
) -> Result<(), HeaderMismatch> {
    let (method, params, is_request) = match message {
        Message::Request(request) => (&*request.method, request.params.as_ref(), true),
        Message::Notification(notification) => {
            (&*notification.method, notification.params.as_ref(), false)
        }
        Message::Response(_) => return Ok(()),
    };
    let check = HeaderCheck { field, is_request };
    check.version(version)?;
    check.method(method)?;
    check.name(method, params)?;
    if method == method::TOOLS_CALL {
        check.params(params, annotated)?;
    }
    Ok(())
}

struct HeaderCheck<F> {
    field: F,
    is_request: bool,
}

impl<'h, F: Fn(&str) -> HeaderField<'h>> HeaderCheck<F> {
    /// The value of a header; `None` if it is absent.
    fn value(&self, header: &str) -> Result<Option<&'h [u8]>, HeaderMismatch> {
        match (self.field)(header) {
            HeaderField::Absent => Ok(None),
            HeaderField::Once(value) => Ok(Some(value)),
            HeaderField::Repeated => Err(HeaderMismatch::Repeated { header: header.to_owned() }),
        }
    }

    fn version(&self, body: Option<&str>) -> Result<(), HeaderMismatch> {
        match (self.plain(PROTOCOL_VERSION)?, body) {
            (None, _) => self.missing(PROTOCOL_VERSION),
            (Some(header), Some(body)) if header != body => differs(PROTOCOL_VERSION),
            (Some(_), _) => Ok(()),
        }
    }

    fn method(&self, body: &str) -> Result<(), HeaderMismatch> {
        match self.plain(METHOD)? {
            None => self.missing(METHOD),
            Some(header) if header != body => differs(METHOD),
            Some(_) => Ok(()),
        }
    }

    fn name(&self, method: &str, params: Option<&RawObject<'_>>) -> Result<(), HeaderMismatch> {
        let Some(target) = target_field(method) else { return Ok(()) };
        let body = params.and_then(|params| params.text(target));
        let is_required = matches!(target, "name" | "uri") && body.is_some();
        match (self.value(NAME)?, body) {
            (None, _) if is_required => self.missing(NAME),
            (None, _) => Ok(()),
            (Some(header), body) => match decode_value(header) {
                Err(_) => Err(HeaderMismatch::Malformed { header: NAME.to_owned() }),
                Ok(header) if body.is_some_and(|body| body == header) => Ok(()),
                Ok(_) => differs(NAME),
            },
        }
    }

    fn params(
        &self,
        params: Option<&RawObject<'_>>,
        annotated: &ParamHeaders,
    ) -> Result<(), HeaderMismatch> {
        for (header, body) in annotated.mirrored(params.and_then(arguments)) {
            match (self.value(header)?, body) {
                (None, None) => {}
                (None, Some(_)) => return self.missing(header),
                (Some(value), body) => {
                    let said = decode_value(value)
                        .map_err(|_| HeaderMismatch::Malformed { header: header.to_owned() })?;
                    if !body.is_some_and(|body| body.is_ok_and(|body| body.is_said_by(&said))) {
                        return differs(header);
                    }
                }
            }
        }
        Ok(())
    }

    fn plain(&self, header: &str) -> Result<Option<&'h str>, HeaderMismatch> {
        let Some(value) = self.value(header)? else { return Ok(None) };
        let malformed = |_| HeaderMismatch::Malformed { header: header.to_owned() };
        plain_value(value).map(Some).map_err(malformed)
    }

    fn missing(&self, header: &str) -> Result<(), HeaderMismatch> {
        if self.is_request {
            return Err(HeaderMismatch::Missing { header: header.to_owned() });
        }
        Ok(())
    }
}

fn differs(header: &str) -> Result<(), HeaderMismatch> {
    Err(HeaderMismatch::Differs { header: header.to_owned() })
}
