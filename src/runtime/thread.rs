//! Threads of which none ends unheard.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    thread,
};

use super::{Event, Events};

/// Starts a thread. Where it panics, the panic hook has given the terminal back: the program ends and says so.
///
/// # Errors
///
/// When there is no thread to be had.
pub fn spawn(name: &str, events: &Events, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let events = events.clone();
    let guarded = move || {
        if panic::catch_unwind(AssertUnwindSafe(work)).is_err() {
            // A program that ends in the meantime does not listen.
            let _ = events.send(Event::Panicked);
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(guarded).map(|_| ())
}
