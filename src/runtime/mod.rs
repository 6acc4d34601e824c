//! Terminal, threads and files: all side effects of the running explorer.
//!
//! One thread draws and updates. Others wait for keys and signals, and run slow jobs. They share one channel
//! of messages, so no locks are needed.

mod background_jobs;
mod bundle;
mod checks;
mod clipboard;
mod editor;
mod expectations;
mod explorer;
mod file_output;
mod file_watcher;
#[cfg(fuzzing)]
pub mod fuzzing;
mod history;
mod input;
mod job_services;
mod journal;
mod lsp;
mod mirror;
mod modes;
mod path_completion;
mod presence;
mod serve;
mod signals;
mod state;
mod target_path;
mod terminal;
mod terminal_colors;
mod thread;
mod verdict_cache;

use std::sync::mpsc::Sender;

use crate::tui::Msg;

pub use checks::{
    check_catalog, openshift_versions, run_deferred_checks, with_deferred_checks, with_local_checks,
    with_template_checks,
};
pub use clipboard::{ClipboardMethod as ClipboardWay, available_methods as clipboard_ways};
pub use editor::find_editor as editor;
pub use explorer::run_explorer;
pub use history::load_history;
pub use lsp::serve_lsp as speak;
pub use serve::{Limits, ServedCatalog, bind_loopback, serve_catalog};
pub use signals::suspension_refusal;
pub use state::state_directory;
pub use target_path::check_outside_catalog;
pub use terminal::{TerminalGuard, open_keyboard};
pub use terminal_colors::detect_look;
pub use verdict_cache::VerdictStore;

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
