//! Terminal, threads and files: everything that touches the world while the explorer runs.
//!
//! One thread draws and updates; others wait for keys, for signals, and do the work that takes time. They meet in one
//! channel of messages, so nothing needs a lock.

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

/// What the threads tell the one that draws.
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals"))]
enum Event {
    /// Something for `update`.
    Msg(Msg),
    /// A signal asks the program to end.
    Signal(i32),
    /// A signal asks the program to stop until it is continued.
    Stop,
    /// The program was stopped without being asked, and goes on.
    Continued,
    /// The terminal is gone.
    InputEnded,
    /// Work on another thread panicked; its message stands on standard error.
    Panicked,
}

/// A place to send events to.
type Events = Sender<Event>;

/// How the explorer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The user left.
    Left,
    /// A signal ended it.
    Signal(i32),
}
