//! Keys, mouse, paste, focus and resize as messages, from a thread that can be paused.
//!
//! While an editor or the shell has the terminal, olmap must not read from it. Input before that belongs to
//! olmap, input during that to the other program. So the thread pauses between two reads before the terminal
//! is released.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ratatui::crossterm::event::{self, Event as Input, MouseEventKind};

use super::{
    Event, Events,
    colours::{Sieve, Sifted},
    thread,
};
use crate::app::Msg;

/// Interval of attempts to wake the reader during a pause.
const AGAIN: Duration = Duration::from_millis(20);

/// State of the reader thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reader {
    /// Reads, or waits for input.
    Reads,
    /// Reads, and has been asked to pause.
    ShallPause,
    /// Does not read.
    Pauses,
    /// Has ended.
    Ended,
}

/// Thread that reads the terminal.
#[derive(Clone)]
pub struct Keyboard(Arc<Shared>);

struct Shared {
    reader: Mutex<Reader>,
    changed: Condvar,
}

impl Keyboard {
    /// Starts the thread, which reads until the terminal is closed. If standard input is a catalog, crossterm
    /// reads keys from the terminal device. The sieve removes answers of the terminal from the input.
    ///
    /// # Errors
    ///
    /// Fails if the thread cannot be started. Without it, the user could not even leave the program.
    pub fn listen(events: Events, mut sieve: Sieve) -> io::Result<Self> {
        let keyboard = Self(Arc::new(Shared { reader: Mutex::new(Reader::Reads), changed: Condvar::new() }));
        let reading = keyboard.clone();
        thread::spawn("input", &events.clone(), move || {
            reading.read(&events, &mut sieve);
            reading.set(Reader::Ended);
        })?;
        Ok(keyboard)
    }

    fn read(&self, events: &Events, sieve: &mut Sieve) {
        loop {
            self.stand_by();
            let Ok(sifted) = sift(sieve) else {
                let _ = events.send(Event::InputEnded);
                return;
            };
            for msg in sifted.into_iter().filter_map(message) {
                if events.send(Event::Msg(msg)).is_err() {
                    return;
                }
            }
        }
    }

    /// Waits while a pause is requested.
    fn stand_by(&self) {
        let mut reader = self.reader();
        if *reader == Reader::ShallPause {
            *reader = Reader::Pauses;
            self.0.changed.notify_all();
        }
        while *reader == Reader::Pauses {
            reader = self.0.changed.wait(reader).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Pauses the reader until [`Keyboard::resume`]. Returns once the reader no longer reads.
    pub fn pause(&self) {
        let mut reader = self.reader();
        if *reader == Reader::Reads {
            *reader = Reader::ShallPause;
        }
        while *reader == Reader::ShallPause {
            wake();
            let waited = self.0.changed.wait_timeout(reader, AGAIN);
            reader = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Resumes reading.
    pub fn resume(&self) {
        let mut reader = self.reader();
        if *reader == Reader::Pauses {
            *reader = Reader::Reads;
            self.0.changed.notify_all();
        }
    }

    fn set(&self, what: Reader) {
        *self.reader() = what;
        self.0.changed.notify_all();
    }

    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.0.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the next input. Input that is held back is released after a short time.
fn sift(sieve: &mut Sieve) -> io::Result<Vec<Sifted>> {
    if sieve.holds() && !event::poll(Sieve::PATIENCE)? {
        return Ok(sieve.release().collect());
    }
    Ok(next()?.map(|event| sieve.take(event)).unwrap_or_default())
}

fn message(sifted: Sifted) -> Option<Msg> {
    Some(match sifted {
        Sifted::Background(background) => Msg::Background(background),
        Sifted::Input(Input::Key(key)) => Msg::Key(key),
        // Terminals report each cell that the mouse passes, which does not change the screen.
        Sifted::Input(Input::Mouse(mouse)) if mouse.kind == MouseEventKind::Moved => return None,
        Sifted::Input(Input::Mouse(mouse)) => Msg::Mouse(mouse),
        Sifted::Input(Input::Paste(text)) => Msg::Paste(text),
        Sifted::Input(Input::Resize(columns, rows)) => Msg::Resize(columns, rows),
        Sifted::Input(Input::FocusGained) => Msg::FocusGained,
        Sifted::Input(Input::FocusLost) => return None,
    })
}

/// Returns the next event; `None` if the wait ended without one.
#[cfg(unix)]
fn next() -> io::Result<Option<Input>> {
    event::read().map(Some)
}

/// Returns the next event. The reader cannot be woken on this system, so it stops waiting periodically.
#[cfg(not(unix))]
fn next() -> io::Result<Option<Input>> {
    if event::poll(Duration::from_millis(100))? { event::read().map(Some) } else { Ok(None) }
}

/// Ends a wait for keys. On this signal, crossterm reports a resize event.
#[cfg(unix)]
fn wake() {
    // A failed signal is sent again by the caller.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
}

#[cfg(not(unix))]
fn wake() {}
