//! Progress display and key buffer while the user waits.

use crate::tui::{
    keys::Key,
    session::{
        Session,
        open_catalog::{BlockingWork, Stage},
    },
    work::outcome::LoadProgress,
};

/// State while the user waits, counted in ticks of the runtime.
#[derive(Clone, Debug, Default)]
pub struct WaitState {
    /// Spinner ticks; `None` until the delay threshold has passed.
    ticks: Option<usize>,
    /// Number of bytes that were read.
    bytes: usize,
    /// Keys that were pressed too early.
    buffered_keys: Vec<Key>,
}

impl WaitState {
    /// Maximum number of buffered keystrokes.
    const MAX_BUFFERED_KEYS: usize = 64;

    /// Buffers a key until it can be handled.
    pub(in crate::tui) fn buffer_key(&mut self, key: Key) {
        if self.buffered_keys.len() < Self::MAX_BUFFERED_KEYS {
            self.buffered_keys.push(key);
        }
    }

    /// Takes the buffered keys.
    pub(in crate::tui) fn take_buffered_keys(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.buffered_keys)
    }
}

impl Session {
    /// Returns true while the result of an effect will replace the state.
    pub fn is_waiting(&self) -> bool {
        self.busy.is_some() || matches!(self.stage, Stage::Loading(_))
    }

    /// Returns the number of megabytes that were read of a catalog that is being opened.
    pub fn opened_megabytes(&self) -> Option<usize> {
        (self.busy == Some(BlockingWork::Opening)).then_some(self.waiting.bytes / 1_000_000)
    }

    /// Returns a description of the work and the number of ticks, once the delay threshold has
    /// passed.
    pub fn wait_status(&self) -> Option<(&'static str, usize)> {
        let beats = self.waiting.ticks?;
        let what = match (&self.stage, self.busy) {
            (Stage::Loading(_), _) | (_, Some(BlockingWork::Loading)) => "reading",
            (_, Some(BlockingWork::Reading)) => "reloading",
            (_, Some(BlockingWork::Saving)) => "writing",
            (_, Some(BlockingWork::Opening)) => "opening",
            (_, None) => return None,
        };
        Some((what, beats))
    }

    /// Counts a tick and stores the progress.
    pub(in crate::tui) fn count_tick(&mut self, progress: LoadProgress) {
        if let Stage::Loading(shown) = &mut self.stage {
            *shown = progress;
        }
        self.waiting.bytes = progress.bytes;
        self.waiting.ticks = Some(self.waiting.ticks.map_or(0, |beats| beats.wrapping_add(1)));
    }

    /// Hides the progress once there is no work.
    pub(in crate::tui) fn reset_wait_if_idle(&mut self) {
        if !self.is_waiting() {
            self.waiting.ticks = None;
        }
    }
}
