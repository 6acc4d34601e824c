//! The terminal while it is ours, and drawing on it.

use std::{
    fs::File,
    io::{self, IsTerminal as _, Write},
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
};

use ratatui::{
    Frame, Terminal,
    backend::CrosstermBackend,
    crossterm::{
        queue, style,
        terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
    },
    layout::Rect,
};

use super::modes::{self, Mode};

/// What keys are read from where standard input is a catalog.
const KEYBOARD: &str = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };

/// Opens what keys are read from where standard input is a catalog.
pub fn keyboard() -> io::Result<File> {
    File::open(KEYBOARD)
}

/// What we turn on, the mouse aside, which is a matter of taste.
const OURS: [Mode; 5] = [Mode::Raw, Mode::Screen, Mode::Paste, Mode::Focus, Mode::NoCursor];

static HOOK: Once = Once::new();

/// The terminal while it is ours. Dropping it gives the terminal back.
pub struct Guard {
    terminal: Terminal<CrosstermBackend<Gathered>>,
    frame: Gathered,
}

impl Guard {
    /// Takes the terminal over.
    ///
    /// # Errors
    ///
    /// When standard output is no terminal or refuses.
    pub fn enter() -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other("standard output is not a terminal"));
        }
        HOOK.call_once(|| {
            let report = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                modes::give_back();
                report(info);
            }));
        });
        let frame = Gathered::default();
        let terminal = Terminal::new(CrosstermBackend::new(frame.clone()))?;
        // From here on dropping the guard gives back whatever was taken, also where taking fails half way.
        let guard = Self { terminal, frame };
        // Whether there are colours is the theme's to decide: crossterm would look at NO_COLOR again.
        style::force_color_output(true);
        modes::turn_on(&OURS)?;
        Ok(guard)
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws a frame, all of it or nothing.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(view)?;
        let drawn = std::mem::take(&mut *self.frame.bytes());
        let mut bytes = Vec::with_capacity(drawn.len() + 16);
        queue!(bytes, BeginSynchronizedUpdate)?;
        bytes.extend(drawn);
        queue!(bytes, EndSynchronizedUpdate)?;
        modes::write(&bytes)
    }

    /// Whether mouse events come as input. While they do not, the terminal selects text as ever.
    pub fn capture_mouse(&mut self, wanted: bool) -> io::Result<()> {
        if wanted { modes::turn_on(&[Mode::Mouse]) } else { modes::turn_off(Mode::Mouse) }
    }

    /// Gives the terminal back while something else uses it, then takes it again; the next frame draws every cell.
    pub fn away<T>(&mut self, elsewhere: impl FnOnce() -> T) -> io::Result<T> {
        let modes = modes::give_back();
        let outcome = elsewhere();
        modes::turn_on(&modes)?;
        self.forget_frame()?;
        Ok(outcome)
    }

    /// Takes a terminal again that somebody used without asking, as a shell does when it stops and continues us.
    pub fn again(&mut self) -> io::Result<()> {
        self.away(|| ())
    }

    /// Draws every cell with the next frame: another program may have written over them.
    fn forget_frame(&mut self) -> io::Result<()> {
        // Not `Terminal::clear`: that asks the terminal where its cursor is and waits for an answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        modes::give_back();
    }
}

/// Keeps what is written until a frame is whole.
#[derive(Clone, Default)]
struct Gathered(Arc<Mutex<Vec<u8>>>);

impl Gathered {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
