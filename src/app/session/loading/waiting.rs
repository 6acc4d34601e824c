//! What one sees and types while something takes its time.

use crate::app::{
    keys::Key,
    session::{
        Session,
        open::{Busy, Stage},
    },
    work::outcome::LoadProgress,
};

/// What is waited for, and since when: in beats, each as long as the runtime makes it.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// How often it was shown that one waits; `None` while that is not worth a word.
    beats: Option<usize>,
    /// How many bytes came while one waits.
    bytes: usize,
    /// Keys that were pressed before there was anything to press them on.
    early: Vec<Key>,
}

impl Waiting {
    /// Nobody types further ahead without looking.
    const MOST_EARLY: usize = 64;

    /// Keeps a key until there is something to press it on.
    pub(in crate::app) fn keep(&mut self, key: Key) {
        if self.early.len() < Self::MOST_EARLY {
            self.early.push(key);
        }
    }

    /// Keys that can be pressed now.
    pub(in crate::app) fn early(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.early)
    }
}

impl Session {
    /// Whether the answer of some work will replace or settle the state.
    pub fn is_waiting(&self) -> bool {
        self.busy.is_some() || matches!(self.stage, Stage::Loading(_))
    }

    /// How many megabytes of a catalog that is being opened came so far.
    pub fn opened_megabytes(&self) -> Option<usize> {
        (self.busy == Some(Busy::Opening)).then_some(self.waiting.bytes / 1_000_000)
    }

    /// What one waits for, where one does so for long enough to be told; and a number that grows from time to time.
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

    /// Some time went by while one waits.
    pub(in crate::app) fn waited(&mut self, progress: LoadProgress) {
        if let Stage::Loading(shown) = &mut self.stage {
            *shown = progress;
        }
        self.waiting.bytes = progress.bytes;
        self.waiting.beats = Some(self.waiting.beats.map_or(0, |beats| beats.wrapping_add(1)));
    }

    /// What is not waited for any more is not shown any more.
    pub(in crate::app) fn settle_waiting(&mut self) {
        if !self.is_waiting() {
            self.waiting.beats = None;
        }
    }
}
