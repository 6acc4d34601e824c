//! Ownership of the terminal: its modes, drawing, and input.
//!
//! Changed modes are in one list, and are restored in reverse order. `Drop`, the panic hook, signals, suspension
//! and the editor all release the terminal through [`restore_all`]. So none of them can forget a mode. While the
//! list is empty, olmap does not own the terminal and writes nothing to it.
//!
//! While an editor or the shell has the terminal, olmap must not read from it. Input before that belongs to
//! olmap, input during that to the other program. So the thread that reads pauses between two reads before the
//! terminal is released.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::{fs::File, time::Duration};

use ratatui::crossterm::event::{self, Event as Input, MouseEventKind};
use ratatui::crossterm::terminal::{
    self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use ratatui::crossterm::{cursor, execute, queue, style};
use ratatui::{Frame, Terminal, layout::Rect};

use super::frame_backend::FrameBackend;
use super::terminal_colors::{EscapeFilter, FilteredInput};
use super::{Event, Events, spawn_thread};
use crate::tui::Msg;

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

/// Device for keyboard input if standard input is a catalog.
const KEYBOARD_DEVICE: &str = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };

/// Modes that are always turned on. The mouse is optional.
const DEFAULT_MODES: [Mode; 5] = [Mode::Raw, Mode::Screen, Mode::Paste, Mode::Focus, Mode::HiddenCursor];

static PANIC_HOOK: Once = Once::new();

/// Ownership of the terminal. Dropping it releases the terminal.
pub struct TerminalGuard {
    terminal: Terminal<FrameBackend>,
}

impl TerminalGuard {
    /// Takes over the terminal.
    ///
    /// # Errors
    ///
    /// Fails if standard output is not a terminal or refuses a mode.
    pub fn take_over() -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other("standard output is not a terminal"));
        }
        PANIC_HOOK.call_once(|| {
            let report = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                restore_all();
                report(info);
            }));
        });
        let terminal = Terminal::new(FrameBackend::with_unknown_cursor())?;
        // From here on, dropping the guard restores all modes, even if a later step fails.
        let guard = Self { terminal };
        // The theme decides about colors. Otherwise crossterm would check `NO_COLOR` again.
        style::force_color_output(true);
        turn_on(&DEFAULT_MODES)?;
        Ok(guard)
    }

    /// Returns columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws a frame in a single write. Writes nothing if it looks like the last one.
    pub fn render_frame(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(view)?;
        let drawn = self.terminal.backend_mut().take_bytes();
        if drawn.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(drawn.len() + 16);
        queue!(bytes, BeginSynchronizedUpdate)?;
        bytes.extend(drawn);
        queue!(bytes, EndSynchronizedUpdate)?;
        write_to_terminal(&bytes)
    }

    /// Turns mouse events on or off. While they are off, the terminal selects text itself.
    pub fn capture_mouse(&mut self, wanted: bool) -> io::Result<()> {
        if wanted { turn_on(&[Mode::Mouse]) } else { turn_off(Mode::Mouse) }
    }

    /// Releases the terminal while another program uses it, and takes it over again. The next frame draws
    /// every cell.
    pub fn release_while<T>(&mut self, elsewhere: impl FnOnce() -> T) -> io::Result<T> {
        let modes = restore_all();
        let outcome = elsewhere();
        turn_on(&modes)?;
        self.invalidate_frame()?;
        Ok(outcome)
    }

    /// Takes over a terminal that another program used without a request, as a shell does that stops and
    /// continues olmap.
    pub fn take_back(&mut self) -> io::Result<()> {
        self.release_while(|| ())
    }

    /// Makes the next frame draw every cell, because another program may have overwritten them.
    fn invalidate_frame(&mut self) -> io::Result<()> {
        // `Terminal::clear` would query the cursor position and wait for the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore_all();
    }
}

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
        spawn_thread("input", &events.clone(), move || {
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

fn active_modes() -> MutexGuard<'static, Vec<Mode>> {
    // A panic under the lock cannot leave the list half changed.
    ACTIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns modes on, unless they are active.
///
/// # Errors
///
/// Fails if the terminal refuses a mode; those before it stay active.
fn turn_on(modes: &[Mode]) -> io::Result<()> {
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
fn turn_off(mode: Mode) -> io::Result<()> {
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

/// Opens the device for keyboard input.
pub fn open_keyboard() -> io::Result<File> {
    File::open(KEYBOARD_DEVICE)
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
