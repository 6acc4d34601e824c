//! Terminal, threads and files: everything that touches the world while the explorer runs.
//!
//! One thread draws and updates; others wait for keys, for signals, and do the work that takes time. They meet in one
//! channel of messages, so nothing needs a lock.

mod input;
mod journal;
mod place;
mod signals;
mod terminal;
mod watch;
mod work;

use std::{
    sync::mpsc::{self, Receiver, Sender},
    time::Duration,
};

use anyhow::Context as _;

use crate::{
    app::{Effect, Model, Msg, Settings, Source, Stage, hit::HitMap, update},
    ui::{self, Theme},
};

pub use terminal::Guard;

/// What the threads tell the one that draws.
enum Event {
    /// Something for `update`.
    Msg(Msg),
    /// A signal asks the program to end.
    Signal(i32),
    /// The terminal is gone.
    InputEnded,
    /// Work on another thread panicked; its message stands on standard error.
    Panicked,
}

/// How the explorer looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Colours, or none.
    pub theme: Theme,
}

/// How the explorer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The user left.
    Left,
    /// A signal ended it.
    Signal(i32),
}

/// How often progress is shown while catalogs are read.
const PROGRESS: Duration = Duration::from_millis(80);

/// Runs the explorer until the user leaves.
///
/// # Errors
///
/// When there is no terminal, or it fails.
pub fn run(sources: Vec<Source>, settings: Settings, look: Look) -> anyhow::Result<Ended> {
    let (sender, receiver) = mpsc::channel();
    signals::listen(sender.clone()).context("cannot listen for signals")?;
    let mut guard = Guard::enter().context("cannot take the terminal over")?;
    let size = guard.size();
    let watch = !settings.no_watch;
    let mut explorer = Explorer {
        model: Model::new(sources, settings, size),
        look,
        worker: work::Worker::new(sender.clone(), watch),
        redraw: false,
    };
    explorer.draw(&mut guard)?;
    let sources = explorer.model.sources.clone();
    let first = Effect::Load { generation: 0, sources, show: true };
    explorer.carry_out(vec![first], &mut guard)?;
    input::listen(sender);
    explorer.turn(&mut guard, &receiver)
}

struct Explorer {
    model: Model,
    look: Look,
    worker: work::Worker,
    /// Whether every cell is to be drawn again.
    redraw: bool,
}

impl Explorer {
    /// Waits, updates, draws: one frame a batch of events.
    fn turn(&mut self, guard: &mut Guard, receiver: &Receiver<Event>) -> anyhow::Result<Ended> {
        loop {
            let mut events = Vec::new();
            if matches!(self.model.stage, Stage::Loading(_)) {
                match receiver.recv_timeout(PROGRESS) {
                    Ok(event) => events.push(event),
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        events.push(Event::Msg(Msg::Progress(self.worker.progress())));
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(Ended::Left),
                }
            } else {
                match receiver.recv() {
                    Ok(event) => events.push(event),
                    Err(mpsc::RecvError) => return Ok(Ended::Left),
                }
            }
            events.extend(receiver.try_iter());
            for event in events {
                match event {
                    Event::Signal(signal) => return Ok(Ended::Signal(signal)),
                    Event::InputEnded => return Ok(Ended::Left),
                    Event::Panicked => {
                        anyhow::bail!("something went wrong that should not: please report it")
                    }
                    Event::Msg(msg) => {
                        let effects = update(&mut self.model, msg);
                        self.carry_out(effects, guard)?;
                        if self.model.leaving {
                            return Ok(Ended::Left);
                        }
                    }
                }
            }
            self.draw(guard)?;
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>, guard: &mut Guard) -> anyhow::Result<()> {
        for effect in effects {
            match effect {
                Effect::Quit => self.worker.leave(),
                Effect::Suspend => {
                    guard.suspend().context("cannot suspend")?;
                    self.redraw = true;
                }
                other => self.worker.start(other),
            }
        }
        Ok(())
    }

    fn draw(&mut self, guard: &mut Guard) -> anyhow::Result<()> {
        if std::mem::take(&mut self.redraw) {
            guard.forget_frame().context("cannot clear the terminal")?;
        }
        let (model, theme) = (&self.model, &self.look.theme);
        let mut hits = HitMap::default();
        guard.draw(|frame| hits = ui::view(model, theme, frame)).context("cannot draw")?;
        // Scrolling depends on how tall a list was drawn: tell `update` at once when that is news.
        if hits != self.model.hits {
            update(&mut self.model, Msg::Drawn(hits));
        }
        Ok(())
    }
}

/// A place to send events to.
type Events = Sender<Event>;
