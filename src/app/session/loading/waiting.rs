//! Progress display and key buffer while the user waits.

use crate::app::{
    keys::Key,
    session::{
        Session,
        open::{Busy, Stage},
    },
    work::outcome::LoadProgress,
};

/// State while the user waits, counted in ticks of the runtime.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// Spinner ticks; `None` until the delay threshold has passed.
    beats: Option<usize>,
    /// Number of bytes that were read.
    bytes: usize,
    /// Keys that were pressed too early.
    early: Vec<Key>,
}

impl Waiting {
    /// Maximum number of buffered keystrokes.
    const MOST_EARLY: usize = 64;

    /// Buffers a key until it can be handled.
    pub(in crate::app) fn keep(&mut self, key: Key) {
        if self.early.len() < Self::MOST_EARLY {
            self.early.push(key);
        }
    }

    /// Takes the buffered keys.
    pub(in crate::app) fn early(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.early)
    }
}

impl Session {
    /// Returns true while the result of an effect will replace the state.
    pub fn is_waiting(&self) -> bool {
        self.busy.is_some() || matches!(self.stage, Stage::Loading(_))
    }

    /// Returns the number of megabytes that were read of a catalog that is being opened.
    pub fn opened_megabytes(&self) -> Option<usize> {
        (self.busy == Some(Busy::Opening)).then_some(self.waiting.bytes / 1_000_000)
    }

    /// Returns a description of the work and the number of ticks, once the delay threshold has
    /// passed.
    pub fn waits_for(&self) -> Option<(&'static str, usize)> {
        let beats = self.waiting.beats?;
        let what = match (&self.stage, self.busy) {
            (Stage::Loading(_), _) | (_, Some(Busy::Loading)) => "reading",
            (_, Some(Busy::Reading)) => "reloading",
            (_, Some(Busy::Saving)) => "writing",
            (_, Some(Busy::Opening)) => "opening",
            (_, None) => return None,
        };
        Some((what, beats))
    }

    /// Counts a tick and stores the progress.
    pub(in crate::app) fn waited(&mut self, progress: LoadProgress) {
        if let Stage::Loading(shown) = &mut self.stage {
            *shown = progress;
        }
        self.waiting.bytes = progress.bytes;
        self.waiting.beats = Some(self.waiting.beats.map_or(0, |beats| beats.wrapping_add(1)));
    }

    /// Hides the progress once there is no work.
    pub(in crate::app) fn settle_waiting(&mut self) {
        if !self.is_waiting() {
            self.waiting.beats = None;
        }
    }
}
