//! The proof that something may be done.

use std::sync::Arc;

use crate::approve::PendingConsent;

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
pub struct Permitted<T> {
    what: T,
    /// The yes that it rests on, where a person was asked.
    pending: Option<Arc<PendingConsent>>,
}

impl<T> Permitted<T> {
    /// Not public: only the guard says so.
    pub(crate) fn new(what: T) -> Self {
        Self { what, pending: None }
    }

    pub(crate) fn while_pending(self, pending: Option<Arc<PendingConsent>>) -> Self {
        Self { pending, ..self }
    }

    pub fn get(&self) -> &T {
        &self.what
    }

    /// What has to be used up directly before this is done; a no that came meanwhile is found there.
    pub fn pending(&self) -> Option<&Arc<PendingConsent>> {
        self.pending.as_ref()
    }
}
