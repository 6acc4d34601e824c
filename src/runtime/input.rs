//! Keys, mouse, paste, focus and resize as messages, from a thread that can be paused.
//!
//! While an editor or the shell has the terminal, nobody else may read from it: what is typed then is theirs, and what is
//! typed once they are gone is ours. So the thread stands still between two reads before the terminal is handed on.

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

/// How long a pause waits before it wakes the reader once more.
const AGAIN: Duration = Duration::from_millis(20);

/// What the reader does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reader {
    /// It reads, or waits for something to read.
    Reads,
    /// It reads, and shall not read again.
    ShallPause,
    /// It does not read.
    Pauses,
    /// It is gone.
    Ended,
}

/// The thread that reads the terminal.
#[derive(Clone)]
pub struct Keyboard(Arc<Shared>);

struct Shared {
    reader: Mutex<Reader>,
    changed: Condvar,
}

impl Keyboard {
    /// Reads the terminal until it is gone. Where standard input is a catalog, keys are read from the terminal itself:
    /// crossterm opens it when standard input is none. The sieve takes the terminal's own answers out of what is typed.
    ///
    /// # Errors
    ///
    /// When there is no thread to be had: without one the program could not even be left.
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

    /// Stands still while it shall.
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

    /// Comes back when the terminal is read no more, until [`Keyboard::resume`].
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

    /// Reads again.
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

/// What comes next: where something is held back, that is waited for only a little.
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
        // Terminals tell of each cell the mouse passes, and there is nothing to draw for it.
        Sifted::Input(Input::Mouse(mouse)) if mouse.kind == MouseEventKind::Moved => return None,
        Sifted::Input(Input::Mouse(mouse)) => Msg::Mouse(mouse),
        Sifted::Input(Input::Paste(text)) => Msg::Paste(text),
        Sifted::Input(Input::Resize(columns, rows)) => Msg::Resize(columns, rows),
        Sifted::Input(Input::FocusGained) => Msg::FocusGained,
        Sifted::Input(Input::FocusLost) => return None,
    })
}

/// The next event; `None` where a wait for one came to its end.
#[cfg(unix)]
fn next() -> io::Result<Option<Input>> {
    event::read().map(Some)
}

/// The next event. Nothing wakes a reader here, so it looks up from time to time by itself.
#[cfg(not(unix))]
fn next() -> io::Result<Option<Input>> {
    if event::poll(Duration::from_millis(100))? { event::read().map(Some) } else { Ok(None) }
}

/// Ends a wait for keys: crossterm takes this signal for another size of the terminal, and gives an event.
#[cfg(unix)]
fn wake() {
    // Where it is not sent, it is sent again.
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
}

#[cfg(not(unix))]
fn wake() {}
