//! Main loop: wait, update, draw.

use std::{
    sync::mpsc::{self, Receiver},
    time::{Duration, Instant},
};

use anyhow::Context as _;

use crate::{
    app::{
        Effect, Look, Model, Msg, Settings, Source,
        parts::hit::HitMap,
        session::open::Busy,
        update,
        work::{Refusal, effect::Spot},
    },
    ui::{self, Theme},
};

use super::{
    Ended, Event, Guard, colours, editor,
    input::Keyboard,
    signals::{NO_SHELL, Signals},
    state, work,
};

/// Delay before a wait is displayed.
const PATIENCE: Duration = Duration::from_millis(150);

/// Interval of the wait display.
const BEAT: Duration = Duration::from_millis(80);

/// Runs the explorer until the user leaves.
///
/// # Errors
///
/// Fails if there is no terminal, or it fails.
pub fn run(sources: Vec<Source>, settings: Settings) -> anyhow::Result<Ended> {
    let (sender, receiver) = mpsc::channel();
    // A finished tour is not shown again, but its key still opens it.
    let tour = settings.tour && (settings.read_only.is_some() || !state::had_tour());
    let settings = Settings { tour, ..settings };
    let signals = Signals::listen(sender.clone()).context("cannot listen for signals")?;
    let guard = Guard::enter().context("cannot take the terminal over")?;
    let size = guard.size();
    let look = settings.look;
    let sieve = colours::ask(look);
    let worker = work::Worker::new(sender.clone(), &settings);
    let mut explorer = Explorer {
        model: Model::new(sources, settings, size),
        theme: Theme::new(look),
        drawn: look,
        worker,
        keyboard: Keyboard::listen(sender, sieve).context("cannot read the terminal")?,
        signals,
        guard,
        beat: None,
    };
    let sources = explorer.model.session.sources.clone();
    if explorer.model.read_only().is_none() {
        for (catalog, place) in state::places(&sources) {
            explorer.model.session.return_to(catalog, place);
        }
    }
    let mouse = Effect::CaptureMouse(explorer.model.frame.captures_mouse);
    explorer.carry_out(vec![mouse, Effect::Load { generation: 0, sources, show: true }])?;
    let ended = explorer.turn(&receiver)?;
    if explorer.model.read_only().is_none() {
        // Failure to save UI state is ignored.
        let _ = state::keep_places(explorer.model.session.last_places());
        if explorer.model.tour_is_over() {
            let _ = state::keep_tour();
        }
    }
    Ok(ended)
}

struct Explorer {
    model: Model,
    /// Theme for the look of the last drawn frame.
    theme: Theme,
    drawn: Look,
    worker: work::Worker,
    keyboard: Keyboard,
    signals: Signals,
    guard: Guard,
    /// Time of the next wait display; `None` while nothing is pending.
    beat: Option<Instant>,
}

impl Explorer {
    /// Waits, updates and draws, with one frame per batch of events. Results that are available at once do
    /// not need a wait display.
    fn turn(&mut self, receiver: &Receiver<Event>) -> anyhow::Result<Ended> {
        loop {
            let Some(first) = self.wait(receiver) else { return Ok(Ended::Left) };
            for event in std::iter::once(first).chain(receiver.try_iter()).collect::<Vec<_>>() {
                match event {
                    Event::Signal(signal) => {
                        self.finish_saving(receiver)?;
                        return Ok(Ended::Signal(signal));
                    }
                    Event::InputEnded => return Ok(Ended::Left),
                    Event::Panicked => {
                        anyhow::bail!("internal error: please report it")
                    }
                    Event::Stop => self.stop()?,
                    Event::Continued => self.guard.again().context("cannot take the terminal again")?,
                    Event::Msg(msg) => {
                        self.tell(msg)?;
                        if self.model.leaving {
                            return Ok(Ended::Left);
                        }
                    }
                }
            }
            self.draw()?;
        }
    }

    /// Finishes a save that is in progress, so that no file is left half written.
    fn finish_saving(&mut self, receiver: &Receiver<Event>) -> anyhow::Result<()> {
        if self.model.session.busy != Some(Busy::Saving) {
            return Ok(());
        }
        let deadline = self.signals.wait_for_save();
        while self.model.session.busy == Some(Busy::Saving) {
            match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Msg(msg @ Msg::Saved { .. })) => self.tell(msg)?,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Returns the next event; `None` if the channel is closed.
    fn wait(&mut self, receiver: &Receiver<Event>) -> Option<Event> {
        if !self.model.session.is_waiting() {
            self.beat = None;
            return receiver.recv().ok();
        }
        let beat = *self.beat.get_or_insert_with(|| Instant::now() + PATIENCE);
        match receiver.recv_timeout(beat.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.beat = Some(Instant::now() + BEAT);
                Some(Event::Msg(Msg::Waited(self.worker.progress())))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Quit => self.worker.leave(),
                Effect::CaptureMouse(ours) => {
                    self.guard.capture_mouse(ours).context("cannot take the mouse over")?;
                }
                Effect::Suspend => self.stop()?,
                Effect::OpenEditor { spot } => self.edit(&spot)?,
                other => self.worker.start(other),
            }
        }
        Ok(())
    }

    /// Suspends the program until the shell continues it.
    fn stop(&mut self) -> anyhow::Result<()> {
        let signals = self.signals.clone();
        if !self.away(|| signals.stop())? {
            self.tell(Msg::Refused(NO_SHELL.to_owned()))?;
        }
        Ok(())
    }

    /// Runs an editor in the terminal.
    fn edit(&mut self, spot: &Spot) -> anyhow::Result<()> {
        let configured = self.model.settings.editor.as_deref();
        let outcome = match editor::command(configured, spot) {
            Ok(mut command) => {
                let signals = self.signals.clone();
                self.away(|| editor::run(&mut command, &signals))?
            }
            Err(error) => Err(error),
        };
        self.tell(Msg::Edited(outcome.map_err(|error| Refusal::new(error.to_string()))))
    }

    /// Passes a message to `update`, and executes the effects.
    fn tell(&mut self, msg: Msg) -> anyhow::Result<()> {
        let effects = update(&mut self.model, msg);
        self.carry_out(effects)
    }

    /// Releases the terminal while another program uses it. Nothing reads from it or draws on it meanwhile.
    fn away<T>(&mut self, elsewhere: impl FnOnce() -> T) -> anyhow::Result<T> {
        self.keyboard.pause();
        let outcome = self.guard.away(elsewhere).context("cannot take the terminal again")?;
        self.keyboard.resume();
        let (columns, rows) = self.guard.size();
        self.tell(Msg::Resize(columns, rows))?;
        Ok(outcome)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let look = self.model.settings.look;
        if look != self.drawn {
            (self.theme, self.drawn) = (Theme::new(look), look);
        }
        let (model, theme) = (&self.model, &self.theme);
        let mut hits = HitMap::default();
        self.guard.draw(|frame| hits = ui::view(model, theme, frame)).context("cannot draw")?;
        // Scrolling depends on the drawn height of lists, so `update` is informed of changes at once.
        if hits != self.model.frame.hits {
            self.tell(Msg::Drawn(hits))?;
        }
        Ok(())
    }
}
