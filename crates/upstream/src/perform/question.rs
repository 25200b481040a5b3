//! One question of a server, as it stands among others in a result.

use toolgate_types::{InputQuestion, QuestionKind};
use toolgate_wire::{RawObject, method};

use crate::failure::RequestError;

pub(super) fn question(
    member: &toolgate_wire::ObjectMember<'_>,
) -> Result<InputQuestion, RequestError> {
    let broken = |why: &str| RequestError::Protocol(format!("a question {why}"));
    let key = member.key().ok_or_else(|| broken("whose key is no text"))?;
    let body = RawObject::parse(member.value()).map_err(|_| broken("that is no object"))?;
    let kind = match &*body.text("method").ok_or_else(|| broken("without a method"))? {
        method::ELICITATION_CREATE => Some(QuestionKind::Elicit),
        method::SAMPLING_CREATE_MESSAGE => Some(QuestionKind::Sample),
        method::ROOTS_LIST => Some(QuestionKind::Roots),
        _ => None,
    };
    let params = body.get_some("params").map(ToOwned::to_owned);
    Ok(InputQuestion { key: key.into_owned(), kind, params })
}
