//! Changes to a JSON object that leave every other byte of it as it was.
//!
//! A splice is a short list of edits over an object; nothing is copied until it is written out.
//! Members that no edit names keep the spelling of key and value and their order; only whitespace
//! between members goes. It knows nothing of what the members mean.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use crate::MessageId;
use crate::few_first::FewFirst;
use crate::json::write_string;
use crate::object::{ObjectError, RawObject};

/// What a member becomes.
#[derive(Clone)]
pub enum SpliceValue<'a> {
    Raw(&'a RawValue),
    Owned(Box<RawValue>),
    Text(Cow<'a, str>),
    /// A number of ours, or an id or token of someone else's as it came.
    Id(MessageId<'a>),
    Object(Box<ObjectSplice<'a>>),
}

impl<'a> SpliceValue<'a> {
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    pub fn number(number: u64) -> Self {
        Self::Id(number.into())
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Raw(raw) => raw.write(out),
            Self::Owned(raw) => raw.write(out),
            Self::Text(text) => write_string(out, text),
            Self::Id(id) => id.write(out),
            Self::Object(splice) => splice.write(out),
        }
    }

    fn usual_length(&self) -> usize {
        match self {
            Self::Raw(raw) => raw.get().len(),
            Self::Owned(raw) => raw.get().len(),
            Self::Text(text) => text.len() + 2,
            Self::Id(id) => id.length(),
            Self::Object(splice) => splice.usual_length(),
        }
    }
}

/// What can stand as `params`, `result` or `data` of a message that is written.
pub trait Payload {
    fn write(&self, out: &mut Vec<u8>);
}

impl Payload for RawValue {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.get().as_bytes());
    }
}

impl Payload for RawObject<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        self.raw().write(out);
    }
}

/// An object with edits to come; made from one that exists, or from nothing.
#[derive(Clone, Default)]
pub struct ObjectSplice<'a> {
    base: Option<SpliceBase<'a>>,
    edits: FewFirst<MemberEdit<'a>>,
}

/// The object that is edited. With a `Cow` in its place, no splice could stand for one that borrows for less long.
#[derive(Clone)]
enum SpliceBase<'a> {
    Borrowed(&'a RawObject<'a>),
    Read(Box<RawObject<'a>>),
}

#[derive(Clone)]
struct MemberEdit<'a> {
    key: Cow<'a, str>,
    /// `None` takes the member out.
    value: Option<SpliceValue<'a>>,
}

impl<'a> ObjectSplice<'a> {
    /// An object that does not exist yet.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn of(object: &'a RawObject<'a>) -> Self {
        Self { base: Some(SpliceBase::Borrowed(object)), edits: FewFirst::new() }
    }

    /// Replaces a member where it stands, or adds it at the end.
    pub fn set(&mut self, key: impl Into<Cow<'a, str>>, value: SpliceValue<'a>) -> &mut Self {
        self.edit(key.into(), Some(value))
    }

    pub fn remove(&mut self, key: impl Into<Cow<'a, str>>) -> &mut Self {
        self.edit(key.into(), None)
    }

    /// The object under a key, to be changed in turn; an empty one if there is none or `null`.
    pub fn within(&mut self, key: &'a str) -> Result<&mut ObjectSplice<'a>, ObjectError> {
        if self.edit_of(|known| known == key).is_none() {
            let value = self.base().and_then(|base| base.get(key)).map(SpliceValue::Raw);
            self.edits.push(MemberEdit { key: Cow::Borrowed(key), value });
        }
        let edit = self.edits.iter_mut().find(|edit| edit.key == key);
        let Some(edit) = edit else { return Err(ObjectError::NotAnObject) };
        let inner = match edit.value.take() {
            Some(SpliceValue::Object(inner)) => inner,
            Some(SpliceValue::Raw(raw)) if raw.get() != "null" => {
                let read = RawObject::parse(raw);
                edit.value = Some(SpliceValue::Raw(raw));
                let base = Some(SpliceBase::Read(Box::new(read?)));
                Box::new(Self { base, edits: FewFirst::new() })
            }
            None | Some(SpliceValue::Raw(_)) => Box::default(),
            other => {
                edit.value = other;
                return Err(ObjectError::NotAnObject);
            }
        };
        match edit.value.insert(SpliceValue::Object(inner)) {
            SpliceValue::Object(inner) => Ok(inner),
            _ => Err(ObjectError::NotAnObject),
        }
    }

    fn base(&self) -> Option<&RawObject<'a>> {
        match self.base.as_ref()? {
            SpliceBase::Borrowed(object) => Some(object),
            SpliceBase::Read(object) => Some(object),
        }
    }

    fn edit(&mut self, key: Cow<'a, str>, value: Option<SpliceValue<'a>>) -> &mut Self {
        if let Some(edit) = self.edits.iter_mut().find(|edit| edit.key == key) {
            edit.value = value;
        } else {
            self.edits.push(MemberEdit { key, value });
        }
        self
    }

    fn edit_of(&self, is: impl Fn(&str) -> bool) -> Option<&MemberEdit<'a>> {
        self.edits.iter().find(|edit| is(&edit.key))
    }

    /// How long it is once it is written, where it has no spaces, no edit replaces anything and no text has to be
    /// spelled otherwise: room for it is made by this.
    pub fn usual_length(&self) -> usize {
        let base = self.base();
        let is_bare = base.is_none_or(|base| base.members().next().is_none());
        let edits = self.edits.iter().filter_map(|edit| Some((edit, edit.value.as_ref()?)));
        let added =
            edits.map(|(edit, value)| edit.key.len() + value.usual_length() + 4).sum::<usize>();
        // The first member has no comma before it.
        let comma = usize::from(is_bare && added > 0);
        base.map_or(2, |base| base.raw().get().len()) + added - comma
    }

    /// The object with its edits, as a value of its own.
    pub fn to_raw(&self) -> Result<Box<RawValue>, serde_json::Error> {
        let mut out = Vec::new();
        self.write(&mut out);
        serde_json::from_slice(&out)
    }
}

impl Payload for ObjectSplice<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let base = self.base();
        if let (Some(base), None) = (base, self.edits.iter().next()) {
            return base.write(out);
        }
        out.reserve(self.usual_length());
        let opening = out.len() + 1;
        out.push(b'{');
        let comma = |out: &mut Vec<u8>| {
            if out.len() > opening {
                out.push(b',');
            }
        };
        let members = || base.into_iter().flat_map(RawObject::members);
        for member in members() {
            let edit = self.edit_of(|key| member.is(key));
            if edit.is_some_and(|edit| edit.value.is_none()) {
                continue;
            }
            comma(out);
            out.push(b'"');
            out.extend_from_slice(member.spelled_key().as_bytes());
            out.extend_from_slice(b"\":");
            match edit.and_then(|edit| edit.value.as_ref()) {
                Some(value) => value.write(out),
                None => member.value().write(out),
            }
        }
        for edit in self.edits.iter() {
            let is_new = !members().any(|member| member.is(&edit.key));
            if let (true, Some(value)) = (is_new, &edit.value) {
                comma(out);
                write_string(out, &edit.key);
                out.push(b':');
                value.write(out);
            }
        }
        out.push(b'}');
    }
}

/// Like the objects it changes, it shows names only.
impl fmt::Debug for ObjectSplice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.edits.iter().map(|edit| &edit.key);
        f.debug_struct("ObjectSplice")
            .field("base", &self.base())
            .field("edits", &Vec::from_iter(keys))
            .finish()
    }
}

impl fmt::Debug for SpliceValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(splice) => splice.fmt(f),
            _ => f.write_str("SpliceValue(..)"),
        }
    }
}

#[cfg(test)]
mod tests;
