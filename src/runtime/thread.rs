//! Threads whose panics are reported.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    thread,
};

use super::{Event, Events};

/// Starts a thread. If it panics, the panic hook releases the terminal, and the program ends with a message.
///
/// # Errors
///
/// Fails if the thread cannot be started.
pub fn spawn(name: &str, events: &Events, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let events = events.clone();
    let guarded = move || {
        if panic::catch_unwind(AssertUnwindSafe(work)).is_err() {
            // The receiver no longer exists if the program is ending.
            let _ = events.send(Event::Panicked);
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(guarded).map(|_| ())
}
