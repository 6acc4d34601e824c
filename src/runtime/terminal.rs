//! Ownership of the terminal, and drawing.

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

/// Device for keyboard input if standard input is a catalog.
const KEYBOARD_DEVICE: &str = if cfg!(windows) { "CONIN$" } else { "/dev/tty" };

/// Opens the device for keyboard input.
pub fn open_keyboard() -> io::Result<File> {
    File::open(KEYBOARD_DEVICE)
}

/// Modes that are always turned on. The mouse is optional.
const DEFAULT_MODES: [Mode; 5] = [Mode::Raw, Mode::Screen, Mode::Paste, Mode::Focus, Mode::HiddenCursor];

static PANIC_HOOK: Once = Once::new();

/// Ownership of the terminal. Dropping it releases the terminal.
pub struct TerminalGuard {
    terminal: Terminal<CrosstermBackend<FrameBuffer>>,
    frame: FrameBuffer,
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
                modes::restore_all();
                report(info);
            }));
        });
        let frame = FrameBuffer::default();
        let terminal = Terminal::new(CrosstermBackend::new(frame.clone()))?;
        // From here on, dropping the guard restores all modes, even if a later step fails.
        let guard = Self { terminal, frame };
        // The theme decides about colors. Otherwise crossterm would check `NO_COLOR` again.
        style::force_color_output(true);
        modes::turn_on(&DEFAULT_MODES)?;
        Ok(guard)
    }

    /// Returns columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws a frame in a single write.
    pub fn render_frame(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(view)?;
        let drawn = std::mem::take(&mut *self.frame.lock_bytes());
        let mut bytes = Vec::with_capacity(drawn.len() + 16);
        queue!(bytes, BeginSynchronizedUpdate)?;
        bytes.extend(drawn);
        queue!(bytes, EndSynchronizedUpdate)?;
        modes::write_to_terminal(&bytes)
    }

    /// Turns mouse events on or off. While they are off, the terminal selects text itself.
    pub fn capture_mouse(&mut self, wanted: bool) -> io::Result<()> {
        if wanted { modes::turn_on(&[Mode::Mouse]) } else { modes::turn_off(Mode::Mouse) }
    }

    /// Releases the terminal while another program uses it, and takes it over again. The next frame draws
    /// every cell.
    pub fn release_while<T>(&mut self, elsewhere: impl FnOnce() -> T) -> io::Result<T> {
        let modes = modes::restore_all();
        let outcome = elsewhere();
        modes::turn_on(&modes)?;
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
        modes::restore_all();
    }
}

/// Buffer that collects the output of a frame.
#[derive(Clone, Default)]
struct FrameBuffer(Arc<Mutex<Vec<u8>>>);

impl FrameBuffer {
    fn lock_bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock_bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
