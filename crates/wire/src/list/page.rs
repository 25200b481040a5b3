//! One page of a list: its items, the odd ones, and what the page says of itself.
//!
//! It reads the text itself rather than a checked result, because a fault inside one item must not
//! reach the others.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{ListError, ListItem, ListMethod, OddItem, SetAside};
use crate::json::{ExactDecimal, JsonScanner, ScanFault};
use crate::object::text_of;
use crate::{MessageLimits, RawObject};

#[derive(Debug, Clone, Default)]
pub struct ListPage<'a> {
    pub items: Vec<ListItem<'a>>,
    pub set_aside: Vec<SetAside<'a>>,
    /// Opaque, and so given back as it came, whatever its type.
    pub next_cursor: Option<&'a RawValue>,
    pub ttl_ms: Option<u64>,
    pub cache_scope: Option<CacheScope>,
    pub result_type: Option<Cow<'a, str>>,
    pub meta: Option<&'a RawValue>,
}

/// Who may be given a cached list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CacheScope {
    /// Only the caller it was made for. A scope we do not know is taken for this one.
    Private,
    Public,
}

impl CacheScope {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }
}

impl<'a> ListPage<'a> {
    /// Reads a result, or the raw text of one that has a flaw.
    pub fn parse(kind: ListMethod, result: &'a RawValue) -> Result<Self, ListError> {
        let text = result.get();
        if !text.starts_with('{') {
            return Err(ListError::NotAnObject);
        }
        let mut page = Self::default();
        let mut has_list = false;
        let mut scanner = JsonScanner::new(text, MessageLimits::DEFAULT.depth);
        scanner
            .object(|scanner, key| {
                if !key.is(kind.member()) {
                    let value = scanner.value()?;
                    page.note(key.text().as_deref().unwrap_or_default(), value);
                    return Ok(());
                }
                if scanner.peek() != Some(b'[') {
                    return scanner.skip();
                }
                has_list = true;
                scanner.array(|scanner| page.take(kind, scanner))
            })
            .map_err(|fault| fault.explain(text))?;
        if !has_list {
            return Err(ListError::NoList { member: kind.member() });
        }
        Ok(page)
    }

    fn note(&mut self, key: &str, value: &'a RawValue) {
        if value.get() == "null" {
            return;
        }
        match key {
            "nextCursor" => self.next_cursor = Some(value),
            "ttlMs" => {
                let number = ExactDecimal::parse(value.get()).and_then(ExactDecimal::to_i128);
                self.ttl_ms = number.and_then(|number| number.try_into().ok());
            }
            "cacheScope" => {
                let is_public = text_of(value).is_some_and(|scope| scope == "public");
                let scope = if is_public { CacheScope::Public } else { CacheScope::Private };
                self.cache_scope = Some(scope);
            }
            "resultType" => self.result_type = text_of(value),
            "_meta" => self.meta = Some(value),
            _ => {}
        }
    }

    fn take(&mut self, kind: ListMethod, scanner: &mut JsonScanner<'a>) -> Result<(), ScanFault> {
        let text = scanner.text();
        let index = self.items.len() + self.set_aside.len();
        if scanner.peek() != Some(b'{') {
            let reason = OddItem::NotAnObject;
            let raw = scanner.tolerate(JsonScanner::value)?.unwrap_or_else(|(raw, _)| raw);
            self.set_aside.push(SetAside { index, raw, reason });
            return Ok(());
        }
        match scanner.tolerate(RawObject::take)? {
            Err((raw, fault)) => {
                let reason = OddItem::Json(fault.explain(text));
                self.set_aside.push(SetAside { index, raw, reason });
            }
            Ok(object) => match name(kind, &object) {
                Ok(key) => self.items.push(ListItem { key, object }),
                Err(reason) => self.set_aside.push(SetAside { index, raw: object.raw(), reason }),
            },
        }
        Ok(())
    }
}

fn name<'a>(kind: ListMethod, object: &RawObject<'a>) -> Result<Cow<'a, str>, OddItem> {
    let key = kind.key();
    let raw = object.get(key).ok_or(OddItem::NoKey { key })?;
    let name = text_of(raw).ok_or(OddItem::KeyNotText { key })?;
    if name.is_empty() {
        return Err(OddItem::EmptyKey { key });
    }
    Ok(name)
}
