//! The proof that something may be done.

/// Something that may be done, exactly as it is: what is inside cannot be changed any more.
#[derive(Debug)]
pub struct Permitted<T>(T);

impl<T> Permitted<T> {
    /// Not public: only the guard says so.
    pub(crate) fn new(what: T) -> Self {
        Self(what)
    }

    pub fn get(&self) -> &T {
        &self.0
    }
}
