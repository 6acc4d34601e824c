//! Main loop: wait, update, draw.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::signals::{NO_SHELL, Signals};
use super::{
    Event, ExitReason, TerminalGuard, background_jobs, editor, state, terminal::Keyboard, terminal_colors,
};
use crate::tui::{self, Effect, Model, Msg, Settings, Source, Theme, ThemeSettings, UserError, update};
use crate::{tui::parts::frame::HitMap, tui::session::wait_state::BlockingWork, tui::work::effect::FileLine};

/// Delay before a wait is displayed.
const WAIT_DELAY: Duration = Duration::from_millis(150);

/// Interval of the wait display.
const SPINNER_INTERVAL: Duration = Duration::from_millis(80);

/// Runs the explorer until the user leaves.
///
/// # Errors
///
/// Fails if there is no terminal, or it fails.
pub fn run_explorer(sources: Vec<Source>, settings: Settings) -> anyhow::Result<ExitReason> {
    let (sender, receiver) = mpsc::channel();
    // A finished tour is not shown again, but its key still opens it.
    let tour = settings.tour && (settings.read_only.is_some() || !state::is_tour_over());
    let settings = Settings { tour, ..settings };
    let signals = Signals::listen(sender.clone()).context("cannot listen for signals")?;
    let guard = TerminalGuard::take_over().context("cannot take the terminal over")?;
    let size = guard.size();
    let look = settings.theme_settings;
    let sieve = terminal_colors::query_background(look);
    let worker = background_jobs::Worker::new(sender.clone(), &settings);
    let mut explorer = Explorer {
        model: Model::new(sources, settings, size),
        theme: Theme::new(look),
        drawn_look: look,
        worker,
        keyboard: Keyboard::listen(sender, sieve).context("cannot read the terminal")?,
        signals,
        guard,
        next_tick: None,
    };
    let sources = explorer.model.session.catalogs.sources().to_vec();
    if explorer.model.read_only().is_none() {
        for (catalog, place) in state::stored_places(&sources) {
            explorer.model.session.navigation.restore_place(catalog, place);
        }
    }
    let mouse = Effect::CaptureMouse(explorer.model.frame.captures_mouse);
    let load = explorer.model.session.jobs.load_request().cloned().map(Effect::run);
    explorer.execute_effects([mouse].into_iter().chain(load).collect())?;
    let ended = explorer.process_batch(&receiver)?;
    if explorer.model.read_only().is_none() {
        // Failure to save UI state is ignored.
        let _ = state::store_places(explorer.model.session.last_places());
        if explorer.model.tour_is_over() {
            let _ = state::store_tour_over();
        }
    }
    Ok(ended)
}

struct Explorer {
    model: Model,
    /// Theme for the look of the last drawn frame.
    theme: Theme,
    drawn_look: ThemeSettings,
    worker: background_jobs::Worker,
    keyboard: Keyboard,
    signals: Signals,
    guard: TerminalGuard,
    /// Time of the next wait display; `None` while nothing is pending.
    next_tick: Option<Instant>,
}

impl Explorer {
    /// Waits, updates and draws, with one frame per batch of events. Results that are available at once do
    /// not need a wait display.
    fn process_batch(&mut self, receiver: &Receiver<Event>) -> anyhow::Result<ExitReason> {
        loop {
            let Some(first) = self.next_event(receiver) else { return Ok(ExitReason::Quit) };
            for event in std::iter::once(first).chain(receiver.try_iter()).collect::<Vec<_>>() {
                match event {
                    Event::Signal(signal) => {
                        self.finish_saving(receiver)?;
                        return Ok(ExitReason::Signal(signal));
                    }
                    Event::InputEnded => return Ok(ExitReason::Quit),
                    Event::Panicked => {
                        anyhow::bail!("internal error: please report it")
                    }
                    Event::Stop => self.suspend()?,
                    Event::Continued => self.guard.take_back().context("cannot take the terminal again")?,
                    Event::Msg(msg) => {
                        self.dispatch(msg)?;
                        if self.model.is_quitting {
                            return Ok(ExitReason::Quit);
                        }
                    }
                }
            }
            self.draw_frame()?;
        }
    }

    /// Finishes a save that is in progress, so that no file is left half written.
    fn finish_saving(&mut self, receiver: &Receiver<Event>) -> anyhow::Result<()> {
        if self.model.session.waiting.busy != Some(BlockingWork::Saving) {
            return Ok(());
        }
        let deadline = self.signals.wait_for_save();
        while self.model.session.waiting.busy == Some(BlockingWork::Saving) {
            match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Msg(msg @ Msg::Saved { .. })) => self.dispatch(msg)?,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Returns the next event; `None` if the channel is closed.
    fn next_event(&mut self, receiver: &Receiver<Event>) -> Option<Event> {
        if !self.model.session.waiting.is_waiting() {
            self.next_tick = None;
            return receiver.recv().ok();
        }
        let beat = *self.next_tick.get_or_insert_with(|| Instant::now() + WAIT_DELAY);
        match receiver.recv_timeout(beat.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.next_tick = Some(Instant::now() + SPINNER_INTERVAL);
                Some(Event::Msg(Msg::WaitProgress(self.worker.progress())))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        }
    }

    fn execute_effects(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Quit => self.worker.discard_journals(),
                Effect::CaptureMouse(ours) => {
                    self.guard.capture_mouse(ours).context("cannot take the mouse over")?;
                }
                Effect::Suspend => self.suspend()?,
                Effect::OpenEditor { location: spot } => self.run_editor_in_terminal(&spot)?,
                other => self.worker.start_effect(other),
            }
        }
        Ok(())
    }

    /// Suspends the program until the shell continues it.
    fn suspend(&mut self) -> anyhow::Result<()> {
        let signals = self.signals.clone();
        if !self.without_terminal(|| signals.stop())? {
            self.dispatch(Msg::Refused(NO_SHELL.to_owned()))?;
        }
        Ok(())
    }

    /// Runs an editor in the terminal.
    fn run_editor_in_terminal(&mut self, spot: &FileLine) -> anyhow::Result<()> {
        let configured = self.model.settings.editor.as_deref();
        let outcome = match editor::command(configured, spot) {
            Ok(mut command) => {
                let signals = self.signals.clone();
                self.without_terminal(|| editor::run_editor(&mut command, &signals))?
            }
            Err(error) => Err(error),
        };
        self.dispatch(Msg::EditorExited(outcome.map_err(|error| UserError::new(error.to_string()))))
    }

    /// Passes a message to `update`, and executes the effects.
    fn dispatch(&mut self, msg: Msg) -> anyhow::Result<()> {
        let effects = update(&mut self.model, msg);
        self.execute_effects(effects)
    }

    /// Releases the terminal while another program uses it. Nothing reads from it or draws on it meanwhile.
    fn without_terminal<T>(&mut self, elsewhere: impl FnOnce() -> T) -> anyhow::Result<T> {
        self.keyboard.pause();
        let outcome = self.guard.release_while(elsewhere).context("cannot take the terminal again")?;
        self.keyboard.resume();
        let (columns, rows) = self.guard.size();
        self.dispatch(Msg::Resize(columns, rows))?;
        Ok(outcome)
    }

    fn draw_frame(&mut self) -> anyhow::Result<()> {
        let look = self.model.settings.theme_settings;
        if look != self.drawn_look {
            (self.theme, self.drawn_look) = (Theme::new(look), look);
        }
        let (model, theme) = (&self.model, &self.theme);
        let mut hits = HitMap::default();
        self.guard.render_frame(|frame| hits = tui::view(model, theme, frame)).context("cannot draw")?;
        // Scrolling depends on the drawn height of lists, so `update` is informed of changes at once.
        if hits != self.model.frame.hits {
            self.dispatch(Msg::Drawn(hits))?;
        }
        Ok(())
    }
}
