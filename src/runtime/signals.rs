//! Signals as messages.

use std::{io, thread};

use super::{Event, Events};

/// Sends a message for every signal that asks the program to end.
#[cfg(unix)]
pub fn listen(events: Events) -> io::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if events.send(Event::Signal(signal)).is_err() {
                break;
            }
        }
    })?;
    Ok(())
}

/// Nothing to listen for.
#[cfg(not(unix))]
pub fn listen(_: Events) -> io::Result<()> {
    Ok(())
}

/// Stops the process as `Ctrl-Z` would, until somebody continues it.
#[cfg(unix)]
pub fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

/// There is no such thing here.
#[cfg(not(unix))]
pub fn stop() -> io::Result<()> {
    Ok(())
}
