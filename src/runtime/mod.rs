//! Terminal, threads and files: all side effects of the running explorer.
//!
//! One thread draws and updates. Others wait for keys and signals, and run slow jobs. They share one channel
//! of messages, so no locks are needed.

mod background_jobs;
mod checks;
mod clipboard;
mod editor;
mod explorer;
mod file_output;
mod file_watcher;
mod frame_backend;
mod job_services;
mod journal;
mod loaders;
mod lsp;
mod serve;
mod signals;
mod state;
mod terminal;
mod terminal_colors;

use std::panic::{self, AssertUnwindSafe};
use std::{io, sync::mpsc::Sender, thread};

use crate::tui::Msg;

pub use checks::{
    VerdictStore, check_catalog, openshift_versions, run_deferred_checks, with_deferred_checks,
    with_local_checks, with_template_checks,
};
pub use clipboard::{ClipboardMethod, available_methods};
pub use editor::find_editor;
pub use explorer::run_explorer;
pub use file_output::check_outside_catalog;
pub use loaders::load_history;
pub use lsp::serve_lsp;
pub use serve::{Limits, ServedCatalog, bind_loopback, serve_catalog};
pub use signals::suspension_refusal;
pub use state::state_directory;
pub use terminal::{TerminalGuard, open_keyboard};
pub use terminal_colors::detect_look;

/// Event for the drawing thread.
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals"))]
enum Event {
    /// Message for `update`.
    Msg(Msg),
    /// Signal that asks the program to end.
    Signal(i32),
    /// Signal that asks the program to suspend.
    Stop,
    /// The program was stopped without a request, and continues.
    Continued,
    /// The terminal is closed.
    InputEnded,
    /// A worker thread panicked; its message is on standard error.
    Panicked,
}

/// Sender of events.
type Events = Sender<Event>;

/// End of the explorer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitReason {
    /// The user left.
    Quit,
    /// A signal ended it.
    Signal(i32),
}

/// Starts a thread. If it panics, the panic hook releases the terminal, and the program ends with a message.
///
/// # Errors
///
/// Fails if the thread cannot be started.
fn spawn_thread(name: &str, events: &Events, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let events = events.clone();
    let guarded = move || {
        if panic::catch_unwind(AssertUnwindSafe(work)).is_err() {
            // The receiver no longer exists if the program is ending.
            let _ = events.send(Event::Panicked);
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(guarded).map(|_| ())
}

/// Parsers of this layer, for the fuzz targets.
#[cfg(feature = "fuzzing")]
pub mod fuzzing {
    use std::path::Path;
    use std::sync::Arc;

    use olm_catalog::Catalog;
    use olm_edit::RecordedEdit;

    /// Returns the edits that a journal of a catalog at `catalog.yaml` offers.
    pub fn journal(bytes: &[u8]) -> Option<Vec<Arc<RecordedEdit>>> {
        super::journal::parse_edits(bytes, Path::new("catalog.yaml"))
    }

    /// Answers bytes as `olmap serve` does. Returns the response, and the number of bytes that were read for it.
    pub fn request(catalog: &Catalog, bytes: &[u8]) -> std::io::Result<(Vec<u8>, usize)> {
        super::serve::answer_bytes(&super::ServedCatalog::new(catalog)?, bytes)
    }

    /// Reads bytes as `olmap lsp` does. Returns each message as JSON, and `None` for each malformed input.
    pub fn messages(bytes: &[u8]) -> Vec<Option<serde_json::Value>> {
        super::lsp::read_messages(bytes)
    }
}
