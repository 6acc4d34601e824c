//! Terminal, threads and files: all side effects of the running explorer.
//!
//! One thread draws and updates. Others wait for keys and signals, and run slow jobs. They share one channel
//! of messages, so no locks are needed.

mod bundle;
mod clipboard;
mod colours;
mod compare;
mod editor;
mod expectations;
mod explorer;
mod fetch;
#[cfg(fuzzing)]
pub mod fuzzing;
mod history;
mod input;
mod journal;
mod judge;
mod lsp;
mod mirror;
mod modes;
mod names;
mod place;
mod presence;
mod serve;
mod signals;
mod state;
mod terminal;
mod thread;
mod verdicts;
mod watch;
mod work;
mod writing;

use std::sync::mpsc::Sender;

use crate::app::Msg;

pub use clipboard::{Way as ClipboardWay, ways as clipboard_ways};
pub use colours::look;
pub use editor::find as editor;
pub use explorer::run;
pub use history::history;
pub use judge::{judged, learned_of, openshift_of, with_learned, with_own_manifests, with_templates};
pub use lsp::serve as speak;
pub use place::outside;
pub use serve::{Limits, Served, listen, serve};
pub use signals::no_shell;
pub use state::directory as state_directory;
pub use terminal::{Guard, keyboard};
pub use verdicts::Verdicts;

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
pub enum Ended {
    /// The user left.
    Left,
    /// A signal ended it.
    Signal(i32),
}
