//! What a person switched away, and what they approved for a window that is still open.
//!
//! Both are a person's own word, kept outside every project. Whether a window is still there is not
//! known here: whoever knows forgets what it left behind.

use async_trait::async_trait;
use toolgate_types::{Digest, PersonSwitch, Principal, WindowMark};

use crate::StoreError;

#[async_trait]
pub trait Switches: Send + Sync {
    /// All switches, in order.
    async fn switches(&self) -> Result<Vec<PersonSwitch>, StoreError>;

    /// Keeps a switch; a role takes the place of the one that its scope had.
    async fn keep_switch(&self, switch: PersonSwitch) -> Result<(), StoreError>;

    /// Forgets a switch; `false` if there was none.
    async fn forget_switch(&self, switch: &PersonSwitch) -> Result<bool, StoreError>;

    /// The windows of which anything is kept.
    async fn known_windows(&self) -> Result<Vec<WindowMark>, StoreError>;

    /// Forgets everything of a window.
    async fn forget_window(&self, window: &WindowMark) -> Result<(), StoreError>;

    /// What was approved for a window.
    async fn window_grants(&self, window: &WindowMark) -> Result<Vec<WindowGrant>, StoreError>;

    /// Keeps an approval for a window.
    async fn keep_grant(&self, window: &WindowMark, grant: WindowGrant) -> Result<(), StoreError>;

    /// Forgets one approval of a window; `false` if there was none.
    async fn forget_grant(
        &self,
        window: &WindowMark,
        grant: &WindowGrant,
    ) -> Result<bool, StoreError>;
}

/// A person's approval for a window, of one tool as it was defined then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowGrant {
    pub principal: Principal,
    /// Whose tool: a server's id, or the word for command tools.
    pub owner: String,
    pub tool: String,
    pub definition: Digest,
}
