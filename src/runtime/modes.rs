//! What was changed of the terminal: one list, added to as modes are turned on, taken back in reverse.
//!
//! `Drop`, the panic hook, signals, suspension and the editor all give the terminal back through [`give_back`], so
//! none of them can forget a mode. While the list is empty the terminal is not ours, and nothing is written to it.

use std::{
    io::{self, Write as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

use ratatui::crossterm::{
    cursor, event, execute,
    terminal::{self, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};

/// Something that is different of a terminal while it is ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Keys come one by one and are not shown.
    Raw,
    /// A screen of our own; what the shell showed comes back with the other.
    Screen,
    /// Mouse events come as input.
    Mouse,
    /// Pasted text is told from keys.
    Paste,
    /// Getting and losing the focus is told.
    Focus,
    /// No cursor.
    NoCursor,
}

impl Mode {
    fn turn_on(self) -> io::Result<()> {
        let mut out = io::stdout();
        match self {
            Self::Raw => terminal::enable_raw_mode(),
            Self::Screen => execute!(out, EnterAlternateScreen),
            Self::Mouse => execute!(out, event::EnableMouseCapture),
            Self::Paste => execute!(out, event::EnableBracketedPaste),
            Self::Focus => execute!(out, event::EnableFocusChange),
            Self::NoCursor => execute!(out, cursor::Hide),
        }
    }

    fn turn_off(self) -> io::Result<()> {
        let mut out = io::stdout();
        match self {
            Self::Raw => terminal::disable_raw_mode(),
            Self::Screen => execute!(out, LeaveAlternateScreen),
            Self::Mouse => execute!(out, event::DisableMouseCapture),
            Self::Paste => execute!(out, event::DisableBracketedPaste),
            Self::Focus => execute!(out, event::DisableFocusChange),
            Self::NoCursor => execute!(out, cursor::Show),
        }
    }
}

/// What is on, in the order in which it was turned on. Whoever holds the lock is the only one who writes.
static ON: Mutex<Vec<Mode>> = Mutex::new(Vec::new());

fn on() -> MutexGuard<'static, Vec<Mode>> {
    // Nothing under the lock leaves the list half changed.
    ON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns modes on, those that are not on already.
///
/// # Errors
///
/// When the terminal refuses one; those before it are on.
pub fn turn_on(modes: &[Mode]) -> io::Result<()> {
    let mut on = on();
    for &mode in modes {
        if !on.contains(&mode) {
            // Half turned on counts: what was never on can be turned off without harm.
            on.push(mode);
            mode.turn_on()?;
        }
    }
    Ok(())
}

/// Turns one mode off.
///
/// # Errors
///
/// When the terminal refuses.
pub fn turn_off(mode: Mode) -> io::Result<()> {
    let mut on = on();
    let is_on = on.contains(&mode);
    on.retain(|other| *other != mode);
    if is_on { mode.turn_off() } else { Ok(()) }
}

/// Gives the terminal back as it was: takes all modes off the list, the last first. Gives them back to whoever wants to
/// turn them on again later. Errors are passed over: there is nobody left to tell.
pub fn give_back() -> Vec<Mode> {
    let mut on = on();
    let modes = std::mem::take(&mut *on);
    if !modes.is_empty() {
        // A frame may have been cut off.
        let _ = execute!(io::stdout(), EndSynchronizedUpdate);
    }
    for mode in modes.iter().rev() {
        let _ = mode.turn_off();
    }
    modes
}

/// Writes bytes at once, if the terminal is ours.
///
/// # Errors
///
/// When it is not ours any more, or cannot be written to.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    let on = on();
    if on.is_empty() {
        return Err(io::Error::other("the terminal was given back"));
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
