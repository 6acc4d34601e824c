//! Taking the terminal over, and giving it back however the program ends.

use std::{
    io::{self, IsTerminal, Stdout, Write},
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use ratatui::{
    Frame, Terminal,
    backend::CrosstermBackend,
    crossterm::{
        cursor, event, execute, queue,
        terminal::{
            self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
        },
    },
    layout::Rect,
};

/// Whether the terminal is ours: what `Drop`, the panic hook and suspension ask before they give it back.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        event::EnableMouseCapture,
        event::EnableBracketedPaste,
        cursor::Hide
    )
}

/// Undoes all of [`take`], in reverse. Errors are passed over: there is nobody left to tell.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            io::stdout(),
            EndSynchronizedUpdate,
            cursor::Show,
            event::DisableBracketedPaste,
            event::DisableMouseCapture,
            LeaveAlternateScreen
        );
        let _ = terminal::disable_raw_mode();
    }
}

/// The terminal while it is ours. Dropping it gives the terminal back.
pub struct Guard {
    terminal: Terminal<CrosstermBackend<Stdout>>,
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
                give_back();
                report(info);
            }));
        });
        let taken = take();
        // From here on the guard gives back whatever was taken, also where taking failed half way.
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        let guard = terminal.map(|terminal| Self { terminal });
        match (taken, guard) {
            (Ok(()), Ok(guard)) => Ok(guard),
            (Err(error), _) | (_, Err(error)) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws a frame, all of it or nothing.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(view).map(|_| ());
        execute!(io::stdout(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Draws every cell with the next frame: another program may have written over them.
    pub fn forget_frame(&mut self) -> io::Result<()> {
        // Not `Terminal::clear`: that asks the terminal where its cursor is and waits for an answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Hands the terminal to the shell and waits until it is given back.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back();
        let stopped = super::signals::stop();
        take()?;
        io::stdout().flush()?;
        stopped
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}
