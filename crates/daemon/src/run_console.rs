//! What a person sees of a run, as far as this crate has something to show.

use std::sync::Arc;

use toolgate_mask::Masker;
use toolgate_types::HostListener;
use toolgate_types::config::Config;

/// Where a run is begun from.
pub trait RunConsole {
    /// Something is amiss that stops nothing.
    fn warn(&mut self, warning: &str);

    /// Who watches over the run from now on, and shows nothing that is to be masked.
    fn observer(&self, masker: &Masker) -> Arc<dyn RunObserver>;
}

/// Somebody who watches a run: hears what hosts do and what servers write to their standard error.
pub trait RunObserver: HostListener {
    /// A line of the log, with its end, for whoever wants to see it at once.
    fn log_line(&self, line: &[u8]);

    /// Takes the terminal from servers that would inherit it, and speaks for them from now on.
    fn speak_for_servers(&self, config: &mut Config);
}
