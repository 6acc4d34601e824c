//! Work that the user waits for: opening and saving of catalogs, with progress and key buffer.

use crate::tui::{keys::Key, work::outcome::LoadProgress};

/// Catalog that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCatalog {
    /// Name of the source.
    pub label: String,
    /// The reason.
    pub message: String,
    /// A hint how to solve the problem.
    pub hint: Option<String>,
}

/// Progress of opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Catalogs are being read.
    Loading(LoadProgress),
    /// At least one catalog is visible.
    Ready,
    /// No catalog could be opened.
    Failed(Vec<FailedCatalog>),
}

/// Work whose result will replace the state. Changes are blocked until then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockingWork {
    /// Files are read again.
    Reading,
    /// Files are written.
    Saving,
    /// An additional catalog is read.
    Opening,
    /// Catalogs are read for the first time. The part that is read is visible.
    Loading,
}

impl BlockingWork {
    /// Returns the reason why changes are blocked.
    pub fn block_reason(self) -> &'static str {
        match self {
            Self::Opening => "another catalog is being opened",
            Self::Reading | Self::Loading => "the files are being read",
            Self::Saving => "the files are being written",
        }
    }
}

/// State while the user waits, counted in ticks of the runtime.
#[derive(Clone, Debug)]
pub struct WaitState {
    /// Whether catalogs are being loaded, are ready, or could not be loaded.
    pub stage: Stage,
    /// Work in progress that blocks changes.
    pub busy: Option<BlockingWork>,
    /// Spinner ticks; `None` until the delay threshold has passed.
    ticks: Option<usize>,
    /// Number of bytes that were read.
    bytes: usize,
    /// Keys that were pressed too early.
    buffered_keys: Vec<Key>,
}

impl Default for WaitState {
    fn default() -> Self {
        Self {
            stage: Stage::Loading(LoadProgress::default()),
            busy: None,
            ticks: None,
            bytes: 0,
            buffered_keys: Vec::new(),
        }
    }
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

    /// Returns true while the result of an effect will replace the state.
    pub fn is_waiting(&self) -> bool {
        self.busy.is_some() || matches!(self.stage, Stage::Loading(_))
    }

    /// Returns true while visible catalogs are being read.
    pub fn is_loading_visibly(&self) -> bool {
        self.busy == Some(BlockingWork::Loading)
    }

    /// Returns the number of megabytes that were read of a catalog that is being opened.
    pub fn opened_megabytes(&self) -> Option<usize> {
        (self.busy == Some(BlockingWork::Opening)).then_some(self.bytes / 1_000_000)
    }

    /// Returns a description of the work and the number of ticks, once the delay threshold has
    /// passed.
    pub fn status(&self) -> Option<(&'static str, usize)> {
        let beats = self.ticks?;
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
        self.bytes = progress.bytes;
        self.ticks = Some(self.ticks.map_or(0, |beats| beats.wrapping_add(1)));
    }

    /// Hides the progress once there is no work.
    pub(in crate::tui) fn reset_if_idle(&mut self) {
        if !self.is_waiting() {
            self.ticks = None;
        }
    }
}
