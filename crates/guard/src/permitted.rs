//! The proof that something may be done.

/// Something that may be done, exactly as it is: what is inside cannot be changed any more.
///
/// Nobody but the guard makes one:
///
/// ```compile_fail
/// let permitted = toolgate_guard::Permitted(1);
/// ```
/// ```compile_fail
/// let permitted = toolgate_guard::Permitted::new(1);
/// ```
///
/// And nobody changes or takes out what was permitted:
///
/// ```compile_fail
/// fn change(mut permitted: toolgate_guard::Permitted<String>) {
///     permitted.get().push('x');
/// }
/// ```
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
