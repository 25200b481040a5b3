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
use toolgate_wire::{MessageId, MessageIdBuf, method, text_of};

/// One message, or a line that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MessageGlance {
    Request {
        id: MessageIdBuf,
        about: RelayedMessageKind,
    },
    Notification(RelayedMessageKind),
    Response(MessageIdBuf),
    /// Several in one line.
    Batch(Vec<MessageGlance>),
    Other,
}

/// What a message is about, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RelayedMessageKind {
    Initialize,
    Initialized,
    /// A client asks this only to find out what it talks to.
    Discover,
    Cancelled(Option<MessageIdBuf>),
    SetLevel,
    Subscribe,
    Unsubscribe,
    Anything,
}

impl MessageGlance {
    pub(crate) fn at(line: &[u8]) -> Self {
        let mut seen = GlancedMembers::default();
        let mut json = serde_json::Deserializer::from_slice(line);
        // What was seen counts, also where looking further was not worth it or not possible.
        let _ = GlanceVisitor { seen: &mut seen, may_stop: true }.deserialize(&mut json);
        seen.judge()
    }

    /// The requests in it.
    pub(crate) fn requests(&self) -> Vec<(&MessageIdBuf, &RelayedMessageKind)> {
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
struct GlancedMembers<'a> {
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    answers: bool,
    batch: Option<Vec<MessageGlance>>,
}

impl GlancedMembers<'_> {
    fn judge(self) -> MessageGlance {
        if let Some(messages) = self.batch {
            return MessageGlance::Batch(messages);
        }
        let id = self.id.and_then(MessageId::from_raw).map(|id| id.to_buf());
        let Some(name) = self.method else {
            return match id {
                Some(id) if self.answers => MessageGlance::Response(id),
                _ => MessageGlance::Other,
            };
        };
        let about = match &*name {
            method::INITIALIZE => RelayedMessageKind::Initialize,
            method::INITIALIZED => RelayedMessageKind::Initialized,
            method::SERVER_DISCOVER => RelayedMessageKind::Discover,
            method::CANCELLED => RelayedMessageKind::Cancelled(self.params.and_then(cancelled)),
            method::LOGGING_SET_LEVEL => RelayedMessageKind::SetLevel,
            method::RESOURCES_SUBSCRIBE => RelayedMessageKind::Subscribe,
            method::RESOURCES_UNSUBSCRIBE => RelayedMessageKind::Unsubscribe,
            _ => RelayedMessageKind::Anything,
        };
        match id {
            Some(id) => MessageGlance::Request { id, about },
            None => MessageGlance::Notification(about),
        }
    }
}

fn cancelled(params: &RawValue) -> Option<MessageIdBuf> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'a> {
        #[serde(borrow)]
        request_id: &'a RawValue,
    }
    let params: Cancelled<'_> = serde_json::from_str(params.get()).ok()?;
    MessageId::from_raw(params.request_id).map(|id| id.to_buf())
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum GlanceKey {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

/// Looks at one value; at all of the line it may stop as soon as it knows enough.
struct GlanceVisitor<'s, 'a> {
    seen: &'s mut GlancedMembers<'a>,
    may_stop: bool,
}

impl<'a> DeserializeSeed<'a> for GlanceVisitor<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for GlanceVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut members: M) -> Result<(), M::Error> {
        let Self { seen, may_stop } = self;
        while let Some(key) = members.next_key()? {
            match key {
                GlanceKey::Id => seen.id = Some(members.next_value()?),
                GlanceKey::Method => seen.method = text_of(members.next_value()?),
                // Wanted only of a cancellation.
                GlanceKey::Params
                    if seen.method.as_deref().is_none_or(|name| name == method::CANCELLED) =>
                {
                    seen.params = Some(members.next_value()?);
                }
                GlanceKey::Result | GlanceKey::Error => {
                    seen.answers = true;
                    if may_stop && seen.id.is_some() {
                        return Err(M::Error::custom("enough was seen"));
                    }
                    members.next_value::<IgnoredAny>()?;
                }
                GlanceKey::Params | GlanceKey::Other => drop(members.next_value::<IgnoredAny>()?),
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
            let mut one = GlancedMembers::default();
            if messages
                .next_element_seed(GlanceVisitor { seen: &mut one, may_stop: false })?
                .is_none()
            {
                break;
            }
            // An array within an array is no message.
            batch.push(if one.batch.is_some() { MessageGlance::Other } else { one.judge() });
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
