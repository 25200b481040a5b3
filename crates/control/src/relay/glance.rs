//! As much of a message as a relay has to know: what kind it is, which id it has, and whether it is
//! one of the few that a relay remembers.
//!
//! It looks no further than that and checks nothing: a line that is no message is passed on, and the
//! daemon says what is wrong with it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use toolgate_wire::{Id, IdBuf, method, text_of};

/// One message, or a line that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Glance {
    Request {
        id: IdBuf,
        about: About,
    },
    Notification(About),
    Response(IdBuf),
    /// Several in one line.
    Batch(Vec<Glance>),
    Other,
}

/// What a message is about, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    Initialize,
    Initialized,
    /// A client asks this only to find out what it talks to.
    Discover,
    Cancelled(Option<IdBuf>),
    Anything,
}

impl Glance {
    pub(crate) fn at(line: &[u8]) -> Self {
        let mut seen = Seen::default();
        let mut json = serde_json::Deserializer::from_slice(line);
        // What was seen counts, also where looking further was not worth it or not possible.
        let _ = Look { seen: &mut seen, may_stop: true }.deserialize(&mut json);
        seen.judge()
    }

    /// The requests in it.
    pub(crate) fn requests(&self) -> Vec<(&IdBuf, &About)> {
        match self {
            Self::Request { id, about } => vec![(id, about)],
            Self::Batch(messages) => messages.iter().flat_map(Self::requests).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn is_or_has_request(&self) -> bool {
        match self {
            Self::Request { .. } => true,
            Self::Batch(messages) => messages.iter().any(Self::is_or_has_request),
            _ => false,
        }
    }
}

#[derive(Default)]
struct Seen<'a> {
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    answers: bool,
    batch: Option<Vec<Glance>>,
}

impl Seen<'_> {
    fn judge(self) -> Glance {
        if let Some(messages) = self.batch {
            return Glance::Batch(messages);
        }
        let id = self.id.and_then(Id::from_raw).map(|id| id.to_buf());
        let Some(name) = self.method else {
            return match id {
                Some(id) if self.answers => Glance::Response(id),
                _ => Glance::Other,
            };
        };
        let about = match &*name {
            method::INITIALIZE => About::Initialize,
            method::INITIALIZED => About::Initialized,
            method::SERVER_DISCOVER => About::Discover,
            method::CANCELLED => About::Cancelled(self.params.and_then(cancelled)),
            _ => About::Anything,
        };
        match id {
            Some(id) => Glance::Request { id, about },
            None => Glance::Notification(about),
        }
    }
}

fn cancelled(params: &RawValue) -> Option<IdBuf> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'a> {
        #[serde(borrow)]
        request_id: &'a RawValue,
    }
    let params: Cancelled<'_> = serde_json::from_str(params.get()).ok()?;
    Id::from_raw(params.request_id).map(|id| id.to_buf())
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

/// Looks at one value; at all of the line it may stop as soon as it knows enough.
struct Look<'s, 'a> {
    seen: &'s mut Seen<'a>,
    may_stop: bool,
}

impl<'a> DeserializeSeed<'a> for Look<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Look<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut members: M) -> Result<(), M::Error> {
        let Self { seen, may_stop } = self;
        while let Some(key) = members.next_key()? {
            match key {
                Key::Id => seen.id = Some(members.next_value()?),
                Key::Method => seen.method = text_of(members.next_value()?),
                // Wanted only of a cancellation.
                Key::Params
                    if seen.method.as_deref().is_none_or(|name| name == method::CANCELLED) =>
                {
                    seen.params = Some(members.next_value()?);
                }
                Key::Result | Key::Error => {
                    seen.answers = true;
                    if may_stop && seen.id.is_some() {
                        return Err(M::Error::custom("enough was seen"));
                    }
                    members.next_value::<IgnoredAny>()?;
                }
                Key::Params | Key::Other => drop(members.next_value::<IgnoredAny>()?),
            }
            if may_stop && seen.id.is_some() && seen.method.is_some() {
                return Err(M::Error::custom("enough was seen"));
            }
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut messages: S) -> Result<(), S::Error> {
        let mut batch = Vec::new();
        loop {
            let mut one = Seen::default();
            if messages.next_element_seed(Look { seen: &mut one, may_stop: false })?.is_none() {
                break;
            }
            // An array within an array is no message.
            batch.push(if one.batch.is_some() { Glance::Other } else { one.judge() });
        }
        self.seen.batch = Some(batch);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
