//! Progress of loading, shared between threads.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
};

use super::LoadError;
use crate::names::PackageName;

/// Kind of work in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// Files are read.
    Reading,
    /// Content of a registry or web address is fetched.
    Fetching,
    /// Documents are decoded.
    Decoding,
    /// Content is checked.
    Checking,
    /// Content is sent to a registry.
    Sending,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Reading, Self::Fetching, Self::Decoding, Self::Checking, Self::Sending];
}

/// Progress of loading, shared between threads, and requests to the loader.
#[derive(Debug, Default)]
pub struct Progress {
    /// Number of files found so far.
    pub files: AtomicUsize,
    /// Number of files read so far.
    pub read: AtomicUsize,
    /// Number of bytes read so far.
    pub bytes: AtomicUsize,
    /// Set to cancel loading.
    pub stop: AtomicBool,
    /// Number of bytes that are known to follow, from the beginning.
    total: AtomicUsize,
    /// Index of the phase in [`Phase::ALL`].
    phase: AtomicU8,
    requested: Mutex<Option<PackageName>>,
}

impl Progress {
    /// Requests that a package is read before the others.
    pub fn request_package(&self, package: PackageName) {
        *self.requested.lock().unwrap_or_else(PoisonError::into_inner) = Some(package);
    }

    pub(super) fn take_request(&self) -> Option<PackageName> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Checks if loading was cancelled.
    ///
    /// # Errors
    ///
    /// If it was.
    pub fn check_stopped(&self) -> Result<(), LoadError> {
        if self.stop.load(Ordering::Relaxed) { Err(LoadError::Stopped) } else { Ok(()) }
    }

    /// Begins a phase.
    pub fn begin_phase(&self, phase: Phase) {
        let index = Phase::ALL.iter().position(|other| *other == phase).unwrap_or_default();
        self.phase.store(index as u8, Ordering::Relaxed);
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        let index = usize::from(self.phase.load(Ordering::Relaxed));
        Phase::ALL.get(index).copied().unwrap_or(Phase::Reading)
    }

    /// Adds bytes that will be read or fetched.
    pub fn expect_bytes(&self, bytes: u64) {
        self.total.fetch_add(usize::try_from(bytes).unwrap_or_default(), Ordering::Relaxed);
    }

    /// Returns the number of bytes to read, including those already read; `None` if it is not known.
    pub fn total_bytes(&self) -> Option<usize> {
        let total = self.total.load(Ordering::Relaxed);
        (total > 0 && total >= self.bytes.load(Ordering::Relaxed)).then_some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_unknown_once_more_was_read() {
        let progress = Progress::default();
        assert_eq!((progress.phase(), progress.total_bytes()), (Phase::Reading, None));
        progress.begin_phase(Phase::Fetching);
        progress.expect_bytes(10);
        progress.bytes.fetch_add(4, Ordering::Relaxed);
        assert_eq!((progress.phase(), progress.total_bytes()), (Phase::Fetching, Some(10)));
        progress.bytes.fetch_add(7, Ordering::Relaxed);
        assert_eq!(progress.total_bytes(), None);
    }
}
