//! A message as a scripted server reads it: the few members it acts upon, all raw.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) method: Option<String>,
    #[serde(borrow, default)]
    pub(crate) params: Params<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Params<'a> {
    pub(crate) name: Option<String>,
    pub(crate) uri: Option<String>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta", default)]
    pub(crate) meta: Meta<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    pub(crate) token: Option<&'a RawValue>,
}
