//! Changed modes of the terminal, in one list. Modes are added when they are turned on, and restored in
//! reverse order.
//!
//! `Drop`, the panic hook, signals, suspension and the editor all release the terminal through [`restore_all`].
//! So none of them can forget a mode. While the list is empty, olmap does not own the terminal and writes
//! nothing to it.

use std::{
    io::{self, Write as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

use ratatui::crossterm::{
    cursor, event, execute,
    terminal::{self, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};

/// Mode of the terminal that olmap changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Raw input: keys arrive one by one without echo.
    Raw,
    /// Alternate screen, so that the output of the shell is restored later.
    Screen,
    /// Mouse events.
    Mouse,
    /// Bracketed paste.
    Paste,
    /// Focus events.
    Focus,
    /// Hidden cursor.
    HiddenCursor,
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
            Self::HiddenCursor => execute!(out, cursor::Hide),
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
            Self::HiddenCursor => execute!(out, cursor::Show),
        }
    }
}

/// Active modes in the order of activation. Only the holder of the lock writes to the terminal.
static ACTIVE: Mutex<Vec<Mode>> = Mutex::new(Vec::new());

fn active_modes() -> MutexGuard<'static, Vec<Mode>> {
    // A panic under the lock cannot leave the list half changed.
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns modes on, unless they are active.
///
/// # Errors
///
/// Fails if the terminal refuses a mode; those before it stay active.
pub fn turn_on(modes: &[Mode]) -> io::Result<()> {
    let mut on = active_modes();
    for &mode in modes {
        if !on.contains(&mode) {
            // A mode that fails is listed too: turning it off is harmless.
            on.push(mode);
            mode.turn_on()?;
        }
    }
    Ok(())
}

/// Turns a mode off.
///
/// # Errors
///
/// Fails if the terminal refuses.
pub fn turn_off(mode: Mode) -> io::Result<()> {
    let mut on = active_modes();
    let is_on = on.contains(&mode);
    on.retain(|other| *other != mode);
    if is_on { mode.turn_off() } else { Ok(()) }
}

/// Releases the terminal: turns all modes off in reverse order. Returns them so that the caller can turn them
/// on again. Errors are ignored because they cannot be reported.
pub fn restore_all() -> Vec<Mode> {
    let mut on = active_modes();
    let modes = std::mem::take(&mut *on);
    if !modes.is_empty() {
        // A frame may be incomplete.
        let _ = execute!(io::stdout(), EndSynchronizedUpdate);
    }
    for mode in modes.iter().rev() {
        let _ = mode.turn_off();
    }
    modes
}

/// Writes bytes at once if olmap owns the terminal.
///
/// # Errors
///
/// Fails if the terminal has been released, or cannot be written to.
pub fn write_to_terminal(bytes: &[u8]) -> io::Result<()> {
    let on = active_modes();
    if on.is_empty() {
        return Err(io::Error::other("the terminal was given back"));
    }
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
