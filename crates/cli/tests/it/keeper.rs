//! A world in which a daemon runs, as a person has it: started and ended by verbs.

use std::ops::Deref;

use serde_json::Value;

use crate::daemon::house::until;
use crate::support::World;

/// The world; the daemon ends with it.
pub(crate) struct Keeper(World);

impl Keeper {
    pub(crate) fn start(world: World) -> Self {
        let keeper = Self(world);
        keeper.run(&["restart"]).ok();
        keeper
    }

    /// Everything that `status` knows.
    pub(crate) fn status(&self) -> Value {
        self.run(&["status", "--json"]).ok().json()
    }

    /// What `status` says of a server of the only folder.
    pub(crate) fn row(&self, id: &str) -> Value {
        let status = self.run(&["status", id, "--json"]).ok().json();
        assert_eq!(status["servers"].as_array().unwrap().len(), 1, "{status}");
        status["servers"][0].clone()
    }

    /// The same once the server has come to this state.
    #[track_caller]
    pub(crate) fn row_when(&self, id: &str, state: &str) -> Value {
        let mut row = Value::Null;
        let come = until(|| {
            row = self.row(id);
            row["state"] == state
        });
        assert!(come, "never {state}: {row}");
        row
    }
}

impl Deref for Keeper {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let _ = self.0.command(&["stop"]).output();
    }
}
