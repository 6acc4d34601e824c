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
    terminal_colors::{EscapeFilter, FilteredInput},
    thread,
};
use crate::tui::Msg;

/// Interval of attempts to wake the reader during a pause.
const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// State of the reader thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReaderState {
    /// Reads, or waits for input.
    Reading,
    /// Reads, and has been asked to pause.
    PauseRequested,
    /// Does not read.
    Paused,
    /// Has ended.
    Ended,
}

/// Thread that reads the terminal.
#[derive(Clone)]
pub struct Keyboard(Arc<Shared>);

struct Shared {
    state: Mutex<ReaderState>,
    changed: Condvar,
}

impl Keyboard {
    /// Starts the thread, which reads until the terminal is closed. If standard input is a catalog, crossterm
    /// reads keys from the terminal device. The sieve removes answers of the terminal from the input.
    ///
    /// # Errors
    ///
    /// Fails if the thread cannot be started. Without it, the user could not even leave the program.
    pub fn listen(events: Events, mut sieve: EscapeFilter) -> io::Result<Self> {
        let keyboard =
            Self(Arc::new(Shared { state: Mutex::new(ReaderState::Reading), changed: Condvar::new() }));
        let reading = keyboard.clone();
        thread::spawn("input", &events.clone(), move || {
            reading.read_input(&events, &mut sieve);
            reading.set_state(ReaderState::Ended);
        })?;
        Ok(keyboard)
    }

    fn read_input(&self, events: &Events, sieve: &mut EscapeFilter) {
        loop {
            self.wait_while_paused();
            let Ok(sifted) = next_filtered_input(sieve) else {
                let _ = events.send(Event::InputEnded);
                return;
            };
            for msg in sifted.into_iter().filter_map(to_message) {
                if events.send(Event::Msg(msg)).is_err() {
                    return;
                }
            }
        }
    }

    /// Waits while a pause is requested.
    fn wait_while_paused(&self) {
        let mut reader = self.lock_state();
        if *reader == ReaderState::PauseRequested {
            *reader = ReaderState::Paused;
            self.0.changed.notify_all();
        }
        while *reader == ReaderState::Paused {
            reader = self.0.changed.wait(reader).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Pauses the reader until [`Keyboard::resume`]. Returns once the reader no longer reads.
    pub fn pause(&self) {
        let mut reader = self.lock_state();
        if *reader == ReaderState::Reading {
            *reader = ReaderState::PauseRequested;
        }
        while *reader == ReaderState::PauseRequested {
            wake();
            let waited = self.0.changed.wait_timeout(reader, WAKE_INTERVAL);
            reader = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Resumes reading.
    pub fn resume(&self) {
        let mut reader = self.lock_state();
        if *reader == ReaderState::Paused {
            *reader = ReaderState::Reading;
            self.0.changed.notify_all();
        }
    }

    fn set_state(&self, what: ReaderState) {
        *self.lock_state() = what;
        self.0.changed.notify_all();
    }

    fn lock_state(&self) -> MutexGuard<'_, ReaderState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the next input. Input that is held back is released after a short time.
fn next_filtered_input(sieve: &mut EscapeFilter) -> io::Result<Vec<FilteredInput>> {
    if sieve.has_held_events() && !event::poll(EscapeFilter::MAX_HOLD)? {
        return Ok(sieve.release().collect());
    }
    Ok(next_terminal_event()?.map(|event| sieve.filter(event)).unwrap_or_default())
}

fn to_message(sifted: FilteredInput) -> Option<Msg> {
    Some(match sifted {
        FilteredInput::Background(background) => Msg::TerminalBackground(background),
        FilteredInput::Input(Input::Key(key)) => Msg::Key(key),
        // Terminals report each cell that the mouse passes, which does not change the screen.
        FilteredInput::Input(Input::Mouse(mouse)) if mouse.kind == MouseEventKind::Moved => return None,
        FilteredInput::Input(Input::Mouse(mouse)) => Msg::Mouse(mouse),
        FilteredInput::Input(Input::Paste(text)) => Msg::Paste(text),
        FilteredInput::Input(Input::Resize(columns, rows)) => Msg::Resize(columns, rows),
        FilteredInput::Input(Input::FocusGained) => Msg::FocusGained,
        FilteredInput::Input(Input::FocusLost) => return None,
    })
}

/// Returns the next event; `None` if the wait ended without one.
#[cfg(unix)]
fn next_terminal_event() -> io::Result<Option<Input>> {
    event::read().map(Some)
}

/// Returns the next event. The reader cannot be woken on this system, so it stops waiting periodically.
#[cfg(not(unix))]
fn next_terminal_event() -> io::Result<Option<Input>> {
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
